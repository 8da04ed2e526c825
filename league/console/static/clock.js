// Clocks of pages: the time of day by the clock of the league, the time left until a bell, perhaps after a beginning, and the
// bar of something that is being computed.

const NEARLY = 0.95; // share at which a bar stops: how long it really takes is not known

function counted(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const parts = hours > 0 ? [hours, String(minutes).padStart(2, "0")] : [minutes];
  return [...parts, String(seconds % 60).padStart(2, "0")].join(":");
}

function tick() {
  for (const bell of document.querySelectorAll("[data-bell]")) {
    const { begins = 0, bell: ends, before, left = "{left}", over } = bell.dataset;
    const [untilBegin, untilEnd] = [begins, ends].map((at) => Math.floor((new Date(at) - Date.now()) / 1000));
    if (untilBegin > 0) bell.textContent = before.replace("{left}", counted(untilBegin));
    else bell.textContent = untilEnd > 0 ? left.replace("{left}", counted(untilEnd)) : over;
    bell.toggleAttribute("data-rung", untilBegin <= 0 && untilEnd <= 0);
  }
  for (const bar of document.querySelectorAll("progress[data-since]")) {
    const seconds = (Date.now() - new Date(bar.dataset.since)) / 1000;
    bar.value = Math.max(0, Math.min(seconds, NEARLY * bar.max));
  }
  for (const clock of document.querySelectorAll("[data-zone]")) {
    const digits = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZone: clock.dataset.zone };
    clock.textContent = new Intl.DateTimeFormat("en", digits).format(new Date());
  }
}

tick();
setInterval(tick, 1000);
// After a refresh the page shows the time of the bell and no time of day, so fill them in before it is painted.
document.body.addEventListener("htmx:afterSwap", tick);
