// Keeps a page up to date: when the league changes, the page is fetched again and updated where it differs.

const main = document.querySelector("main[data-live]");
const CALM = 250; // milliseconds over which the requests of many visitors are spread

let stream = null;
let isStale = false;

/** Whether a person is typing or has opened something. `forms.js` itself protects what was typed into `data-draft`. */
function isBusy() {
  return main.querySelector("form:not([data-draft]) :focus, dialog[open], details[open] form, [data-busy]") !== null;
}

/** Fetches the page again and updates what differs, unless somebody is busy with it. */
export function refresh() {
  if (main === null) return;
  if (document.hidden || isBusy()) {
    isStale = true;
    return;
  }
  isStale = false;
  setTimeout(() => {
    window.htmx.ajax("GET", location.href, {
      target: "#main", select: "#main", swap: "morph:outerHTML", // with options it would need eval
    }).then(() => document.dispatchEvent(new CustomEvent("league:refreshed")));
  }, Math.random() * CALM);
}

function tell(isConnected) {
  document.documentElement.toggleAttribute("data-away", !isConnected);
  document.dispatchEvent(new Event(isConnected ? "league:connected" : "league:away"));
}

function listen() {
  if (stream !== null) return;
  stream = new EventSource(document.body.dataset.changes);
  stream.addEventListener("open", () => tell(true));
  stream.addEventListener("changed", () => {
    document.dispatchEvent(new Event("league:changed")); // even if somebody is busy with the page
    refresh();
  });
  stream.addEventListener("error", () => tell(false));
}

function rest() {
  stream?.close();
  stream = null;
}

window.Idiomorph.defaults.ignoreActiveValue = true;
if (main !== null) {
  listen();
  // Somebody may have begun something while the page was being fetched. Their own requests come from other elements.
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.requestConfig.elt !== document.body || !isBusy()) return;
    event.detail.shouldSwap = false;
    isStale = true;
  });
  main.addEventListener("toggle", () => isStale && refresh(), true);
  // Browsers allow few connections to one server, so hidden pages close theirs.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      rest();
      isStale = true;
    } else {
      listen();
      if (isStale) refresh();
    }
  });
  document.addEventListener("focusout", () => setTimeout(() => isStale && refresh()));
  window.addEventListener("pagehide", rest);
}
