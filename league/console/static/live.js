// Keeps a page up to date: when the league changes, the page is fetched again and updated where it differs.

const main = document.querySelector("main[data-live]");
const CALM = 250; // milliseconds over which the requests of many visitors are spread

let stream = null;
let isStale = false;
let isSwapped = false; // whether the answer that has just come is shown

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
    }).catch(() => null); // without a connection the page stays as it is
  }, Math.random() * CALM);
}

/** Whether the stream of changes is open. Whoever listens to `league:connected` may have begun too late to hear it. */
export const isConnected = () => stream?.readyState === EventSource.OPEN;

function tell() {
  document.documentElement.toggleAttribute("data-away", !isConnected());
  document.dispatchEvent(new Event(isConnected() ? "league:connected" : "league:away"));
}

function listen() {
  if (stream !== null) return;
  stream = new EventSource(document.body.dataset.changes);
  stream.addEventListener("open", tell);
  stream.addEventListener("changed", () => {
    document.dispatchEvent(new Event("league:changed")); // even if somebody is busy with the page
    refresh();
  });
  stream.addEventListener("error", tell);
}

function rest() {
  stream?.close();
  stream = null;
}

window.Idiomorph.defaults.ignoreActiveValue = true;
// What somebody has unfolded stays open.
window.Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node, change) =>
  !(name === "open" && change === "remove" && node.localName === "details");
if (main !== null) {
  listen();
  // Somebody may have begun something while the page was being fetched. Their own requests come from other elements.
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.requestConfig.elt !== document.body) return;
    if (isBusy()) {
      event.detail.shouldSwap = false;
      isStale = true;
    }
    isSwapped = event.detail.shouldSwap;
  });
  // The promise of htmx says nothing: it also resolves for a request that only waits for another one.
  document.body.addEventListener("htmx:xhr:loadend", (event) => {
    if (event.target !== document.body || !isSwapped) return;
    isSwapped = false;
    document.dispatchEvent(new CustomEvent("league:refreshed"));
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
