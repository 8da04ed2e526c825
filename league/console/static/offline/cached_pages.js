// Has the service worker cache the pages that a scorekeeper needs without a connection.

import { person, section } from "./page.js";

/** Whether the service worker has shown a cached copy of this page. */
export const isCopy = () => document.body.hasAttribute("data-copied");

/** Whether this browser can send queued entries: it has locks and a database, and somebody is signed in. */
export const canSend = () => Boolean(navigator.locks && window.indexedDB && person);

/** Whether this browser also works without a connection: a service worker has the pages. */
export const isReady = () => Boolean(navigator.serviceWorker?.controller && canSend());

/** Installs the worker on the desk. Later pages only tell it who is signed in. */
export async function register() {
  const { worker, root, desk } = section()?.dataset ?? {};
  if (!navigator.serviceWorker || !worker || isCopy()) return;
  if (location.pathname === desk) await navigator.serviceWorker.register(worker, { scope: root, updateViaCache: "none" });
  navigator.serviceWorker.controller?.postMessage({ type: "person", person });
}

/**
 * Caches the pages that a page lists. Answers how many open matches this device has then, or null if it failed. If the server
 * limits requests, the rest follows when it allows.
 */
export async function cacheListed(from = section()) {
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration === undefined || !from) return null;
  const { active } = await navigator.serviceWorker.ready;
  const pages = JSON.parse(from.dataset.offlinePages);
  if (pages.length === 0) return null;
  const { port1, port2 } = new MessageChannel();
  const isAll = pages.some(([address]) => address === from.dataset.desk);
  active.postMessage({ type: "keep", person, pages, isAll }, [port2]);
  const { isDone, after } = await new Promise((resolve) => { port1.onmessage = ({ data }) => resolve(data); });
  if (after) cacheLater(after);
  return isDone ? pages.filter(([address]) => address.endsWith("/record") && address !== from.dataset.desk).length : null;
}

let later = null;

function cacheLater(seconds) {
  clearTimeout(later);
  later = setTimeout(cacheAgain, (Number(seconds) || 60) * 1_000); // a proxy may not say how long
}

/** Caches the pages that the desk lists now. */
export async function cacheAgain() {
  const desk = section()?.dataset.desk;
  if (!desk || !isReady()) return;
  const response = await fetch(desk, { headers: { Accept: "text/html" } }).catch(() => null);
  if (response?.status === 429) return cacheLater(response.headers.get("Retry-After"));
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  await cacheListed(page.getElementById("unsent"));
}
