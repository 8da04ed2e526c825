// Has the service worker keep the pages that a scorekeeper needs without a connection.

import { person, section } from "./page.js";

const isCopy = () => document.body.hasAttribute("data-copied");

/** Whether this browser can send what waits, for somebody who is signed in. */
export const canSend = () => Boolean(navigator.locks && window.indexedDB && person);

/** Whether it works without a connection, too: a worker has the pages. */
export const isReady = () => Boolean(navigator.serviceWorker?.controller && canSend());

/** Installs the worker on the desk. Later pages only tell it who is signed in. */
export async function register() {
  const { worker, root, desk } = section()?.dataset ?? {};
  if (!navigator.serviceWorker || !worker || isCopy()) return;
  if (location.pathname === desk) await navigator.serviceWorker.register(worker, { scope: root, updateViaCache: "none" });
  navigator.serviceWorker.controller?.postMessage({ type: "person", person });
}

/**
 * Keeps the pages that a page lists. Answers how many open matches are on this device, or null: it could not be done. Where the
 * server is asked too much, the rest follows when it allows.
 */
export async function keepListed(from = section()) {
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration === undefined || !from) return null;
  const { active } = await navigator.serviceWorker.ready;
  const pages = JSON.parse(from.dataset.keptPages);
  if (pages.length === 0) return null;
  const { port1, port2 } = new MessageChannel();
  const isAll = pages.some(([address]) => address === from.dataset.desk);
  active.postMessage({ type: "keep", person, pages, isAll }, [port2]);
  const { isDone, after } = await new Promise((resolve) => { port1.onmessage = ({ data }) => resolve(data); });
  if (after) keepLater(after);
  return isDone ? pages.filter(([address]) => address.endsWith("/record") && address !== from.dataset.desk).length : null;
}

let later = null;

function keepLater(seconds) {
  clearTimeout(later);
  later = setTimeout(keepAnew, (Number(seconds) || 60) * 1_000); // a proxy may not say how long
}

/** The same for what the desk lists now. */
export async function keepAnew() {
  const desk = section()?.dataset.desk;
  if (!desk || !isReady()) return;
  const response = await fetch(desk, { headers: { Accept: "text/html" } }).catch(() => null);
  if (response?.status === 429) return keepLater(response.headers.get("Retry-After"));
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  await keepListed(page.getElementById("unsent"));
}
