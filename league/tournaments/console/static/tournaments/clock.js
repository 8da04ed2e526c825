// Counts down to the bell of a round, and moves the bar of a round whose tables are being computed.

const NEARLY = 0.95; // share at which a bar stops: how long it really takes is not known

function tick() {
  for (const bell of document.querySelectorAll("[data-bell]")) {
    const left = Math.floor((new Date(bell.dataset.bell) - Date.now()) / 1000);
    const minutes = Math.floor(left / 60), seconds = String(left % 60).padStart(2, "0");
    const counted = (bell.dataset.left ?? "{left}").replace("{left}", `${minutes}:${seconds}`);
    bell.textContent = left > 0 ? counted : bell.dataset.over;
  }
  for (const bar of document.querySelectorAll("progress[data-since]")) {
    const seconds = (Date.now() - new Date(bar.dataset.since)) / 1000;
    bar.value = Math.max(0, Math.min(seconds, NEARLY * bar.max));
  }
}

tick();
setInterval(tick, 1000);
// After a refresh the page shows the time of the bell, so count down again.
document.body.addEventListener("htmx:afterSettle", tick);
