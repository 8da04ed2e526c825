// Records without a connection. A form that somebody stores first enters a queue on the device, and is then sent. Without a
// connection it stays in the queue, is shown as "not sent yet", and is sent in order as soon as there is one.
//
// `queue.js` has the rules of the queue, `sender.js` sends, `list.js` shows the queue, `worker.js` caches the pages.

import { forget, say, sayBeside, show } from "../forms.js";
import { isConnected, refresh } from "../live.js";
import { ask, learn, now } from "./clock.js";
import { entryOf, faultOf, fill } from "./form.js";
import { canSend, isCopy, isReady, cacheAgain, cacheListed, register } from "./cached_pages.js";
import { draw, titleOf } from "./list.js";
import { person, section, timeOf, words } from "./page.js";
import { add, nextHand, ofMatch, replace } from "./queue.js";
import { AWAY, BUSY, DONE, sender } from "./sender.js";
import * as store from "./store.js";

const LOCK = "league:unsent";
const PATIENCE = 20_000; // milliseconds for the answer to one entry
const WAITING = 6_000; // milliseconds for which a sent form stays before the next page is shown
const PAUSES = [3_000, 5_000, 10_000, 20_000, 40_000, 60_000]; // milliseconds between attempts
const LOST = 4_000; // milliseconds without the stream of changes after which the connection counts as lost
const CACHING = 20_000; // milliseconds from a refresh of the page until the cached pages follow
const FORM = "form[data-unsent]";

const tabs = new BroadcastChannel("league:unsent");
const state = { entries: [], line: "", ended: DONE, sent: 0, ready: "", isSending: false };
let isAway = !navigator.onLine;
let attempts = 0;
let timer = null;
let lost = null;
let caching = null;

// ------------------------------------------------------------ sending

async function post(entry, fields) {
  const asked = Date.now();
  const response = await fetch(entry.address, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { Accept: "text/html", "X-Form": "module", "X-Person": encodeURIComponent(entry.person) },
    signal: AbortSignal.timeout(PATIENCE),
  });
  learn(response, asked);
  const text = response.status === 204 ? "" : await response.text();
  const { status, headers } = response;
  const after = Number(headers.get("Retry-After"));
  return { status, refused: headers.get("X-Refused"), next: headers.get("Location"), text, after, said: saidBy(text) };
}

/** What a refusal says: the reason and what is stored now. For a hand, `stored.html` adds `status`, `next` and `correct`. */
function saidBy(text) {
  const main = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  const stored = main?.querySelector("[data-stored]") ?? main?.querySelector(".match-head");
  const reasons = [...(main?.querySelectorAll(".error") ?? [])];
  const lines = reasons.length ? reasons : [...(main?.querySelectorAll("h1, .refused p:not(:has(a))") ?? [])];
  const message = lines.map((one) => one.textContent.trim()).join(" ");
  return { ...stored?.dataset, message, stored: stored?.innerHTML ?? "" };
}

/** Sends all that waits; waits for another tab that is sending. Answers what became of each entry. */
async function send() {
  if (!canSend()) return { ended: AWAY, became: new Map(), stored: 0 };
  clearTimeout(timer);
  const done = await navigator.locks.request(LOCK, async () => {
    state.isSending = true;
    if (!isAway) await redraw();
    return sender({ store, post, person })();
  });
  state.isSending = false;
  state.ended = done.ended;
  const stored = [...done.became.values()].filter((one) => one.isStored).length;
  state.sent += stored;
  attempts = done.ended === AWAY ? attempts + 1 : 0;
  if (done.ended === AWAY || done.ended === DONE || done.ended === BUSY) isAway = done.ended === AWAY;
  if (done.ended === AWAY) timer = setTimeout(sendWaiting, PAUSES[Math.min(attempts, PAUSES.length) - 1]);
  if (done.ended === BUSY) timer = setTimeout(sendWaiting, (done.after || 60) * 1_000);
  await redraw();
  if (done.became.size) tabs.postMessage("changed");
  return { ...done, stored };
}

/** Sends in the background, then refreshes the page and the cached pages. */
async function sendWaiting() {
  if (!(await store.all()).some((one) => one.person === person && one.refusal === null)) return;
  const { stored } = await send();
  if (stored) {
    refresh();
    await cacheAgain();
  }
}

// ------------------------------------------------------------ forms

/** The entry that the form changes: the one named in the address, or a queued correction of the same hand. */
function changedBy(form) {
  const named = new URLSearchParams(location.hash.slice(1)).get("unsent");
  const own = ofMatch(state.entries, form.dataset.unsent, person);
  if (named !== null) return { named, entry: own.find((one) => one.key === named) };
  const path = new URL(form.action).pathname;
  return { named, entry: own.find((one) => one.number === null && one.address === path) };
}

function prepare() {
  const form = document.querySelector(FORM);
  if (form === null || form.hasAttribute("aria-busy")) return;
  const { named, entry } = changedBy(form);
  const hand = form.elements.hand;
  if (entry === undefined && named !== null) say(form, words("gone"), "notice");
  else if (entry !== undefined && form.dataset.changes !== entry.key) {
    form.dataset.changes = entry.key;
    form.dataset.typed = "";
    delete form.dataset.draft; // what somebody was typing before stays stored, apart from this
    fill(form, entry);
    const isOther = entry.address !== new URL(form.action).pathname;
    say(form, isOther ? words("correcting_with") : words("editing", { title: titleOf(entry) }), "notice");
  }
  const heading = document.querySelector("h1[data-next-hand]");
  if (!hand || !heading) return;
  const changes = state.entries.find((one) => one.key === form.dataset.changes);
  const stored = Number(heading.dataset.nextHand);
  const next = changes?.number ?? nextHand(state.entries, form.dataset.unsent, person, stored);
  if (next === stored) return;
  hand.value = String(next);
  heading.textContent = heading.dataset.words.replace("{number}", String(next));
}

async function submit(form) {
  const entry = entryOf(form, person, now());
  const before = form.dataset.changes;
  form.setAttribute("aria-busy", "true");
  const stay = () => form.removeAttribute("aria-busy");
  window.addEventListener("pagehide", stay, { once: true });
  let isAlone = false, decided;
  try {
    decided = await store.change((entries) => {
      isAlone = ofMatch(entries, entry.match, person).every((one) => one.key === before);
      return before ? replace(entries, before, entry) : add(entries, entry);
    });
  } catch (error) {
    stay();
    say(form, words("not_kept"), "error notice").scrollIntoView({ block: "center" });
    throw error;
  }
  if (decided === null) {
    stay();
    say(form, words("gone"), "error notice").scrollIntoView({ block: "center" });
    return;
  }
  forget(form);
  navigator.storage?.persist?.();
  try {
    const done = await Promise.race([send(), new Promise((resolve) => setTimeout(resolve, isAway ? 1_500 : WAITING, null))]);
    const became = done?.became.get(entry.key);
    if (became?.isStored) {
      location.assign(became.next);
      return;
    }
    if (became && isAlone && !before) {
      // The person is still at the form: it shows what is wrong, and they can change it.
      await store.change(() => ({ put: [], remove: [entry.key] }));
      stay();
      await redraw();
      show(form, became.text);
      return;
    }
  } catch (error) {
    console.error(error); // the entry is in the queue, and is sent later
  }
  location.assign(entry.then);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches(FORM) || !isReady() || form.querySelector('input[type="file"]')) return;
  event.preventDefault();
  if (form.hasAttribute("aria-busy")) return;
  const fault = faultOf(form);
  if (fault === null) submit(form);
  else sayBeside(fault.control, fault.text);
}, true);

// Signing out while something is unsent: the first time the form only warns, the second time it signs out.
document.addEventListener("submit", (event) => {
  const form = event.target;
  const count = state.entries.filter((one) => one.person === person).length;
  if (!form.dataset.warning || "warned" in form.dataset || count === 0) return;
  event.preventDefault();
  event.stopPropagation();
  form.dataset.warned = "";
  say(form, form.dataset.warning.replace("{count}", String(count)), "notice");
}, true);

// ------------------------------------------------------------ what is shown

async function redraw() {
  state.entries = await store.all().catch(() => []); // a browser may refuse to store anything
  const { copied } = document.body.dataset;
  state.line = copied ? words("copy", { time: timeOf(copied) }) : isAway ? words("away") : "";
  if (!isReady()) state.line = "";
  draw(state, changed);
  for (const one of document.querySelectorAll("[data-next-of]")) {
    const number = nextHand(state.entries, one.dataset.nextOf, person, Number(one.dataset.number));
    one.textContent = one.dataset.words.replace("{number}", String(number));
  }
  prepare();
}

async function changed() {
  tabs.postMessage("changed");
  await redraw();
  await sendWaiting();
}

tabs.addEventListener("message", redraw);
window.addEventListener("online", sendWaiting);
window.addEventListener("offline", () => { isAway = true; redraw(); });
window.addEventListener("hashchange", redraw);
document.addEventListener("visibilitychange", () => { if (!document.hidden) sendWaiting(); });
// The stream of changes ends now and then, and starts again at once. The connection is lost only if it does not.
function connected() {
  clearTimeout(lost);
  isAway = false;
  if (isCopy()) refresh(); // the server was only slow, or is back: the page says so even if the league has not changed
  redraw();
  sendWaiting();
}
document.addEventListener("league:connected", connected);
if (isConnected()) connected();
document.addEventListener("league:away", () => {
  clearTimeout(lost);
  lost = setTimeout(() => { isAway = true; redraw(); }, LOST);
});
document.addEventListener("league:refreshed", () => {
  const wasCopy = isCopy();
  delete document.body.dataset.copied;
  if (wasCopy) getReady();
  redraw();
  clearTimeout(caching);
  caching = setTimeout(cacheAgain, CACHING);
});

async function cacheAndSay() {
  await ask(section().dataset.worker);
  const count = await cacheListed();
  if (location.pathname === section().dataset.desk) {
    if (!window.isSecureContext) state.ready = words("insecure"); // browsers have service workers and locks over https only
    else if (count !== null) state.ready = words("ready", { count });
  }
  await redraw();
}

/** On a page from the server: makes the device ready to record without a connection. */
async function getReady() {
  await register();
  if (isCopy() || section() === null) return;
  cacheAndSay();
  navigator.serviceWorker?.addEventListener("controllerchange", cacheAndSay); // another release has taken over
}

await redraw();
if (person) {
  await getReady();
  sendWaiting();
}
