// Counts down to the beginning of a round's time and then to its bell, and moves the bar of a round whose tables are being computed.

const NEARLY = 0.95; // share at which a bar stops: how long it really takes is not known

function counted(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function tick() {
  for (const bell of document.querySelectorAll("[data-bell]")) {
    const { begins, bell: ends, before, left = "{left}", over } = bell.dataset;
    const [untilBegin, untilEnd] = [begins, ends].map((at) => Math.floor((new Date(at) - Date.now()) / 1000));
    if (untilBegin > 0) bell.textContent = before.replace("{left}", counted(untilBegin));
    else bell.textContent = untilEnd > 0 ? left.replace("{left}", counted(untilEnd)) : over;
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
