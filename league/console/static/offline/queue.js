// What has been recorded on this device and not sent yet: the rules of the queue, without a browser.
//
// An entry: { key, person, match, order, number, address, fields, playedAt, refusal, … }. `key` is its idempotency key, and never
// has two contents: what is changed gets another one. `number` is that of a hand, else null. Each function takes all entries
// and returns those to `put` and the keys to `remove`.

export const inOrder = (entries) => [...entries].sort((one, other) => one.order - other.order);

export const ofMatch = (entries, match, person) =>
  inOrder(entries.filter((one) => one.match === match && one.person === person));

const handsOf = (entries, match, person) => ofMatch(entries, match, person).filter((one) => one.number !== null);

/** The number of the next hand, where `stored` is the next one as far as the page knows. */
export const nextHand = (entries, match, person, stored) =>
  Math.max(stored, ...handsOf(entries, match, person).map((one) => one.number + 1));

const last = (entries) => Math.max(0, ...entries.map((one) => one.order));

export const add = (entries, entry) => ({ put: [{ ...entry, order: last(entries) + 1, refusal: null }], remove: [] });

/** Something else in the place of an entry. Null: the entry is no longer there. */
export function replace(entries, key, entry) {
  const before = entries.find((one) => one.key === key);
  if (before === undefined) return null;
  const number = entry.number !== null && before.number !== null ? before.number : entry.number;
  return { put: [{ ...entry, number, order: before.order, playedAt: before.playedAt, refusal: null }], remove: [key] };
}

/** The hands behind it, counted on from `number`. Those that change get another key. */
function renumbered(entries, entry, number, newKey) {
  const put = [], remove = [];
  for (const one of handsOf(entries, entry.match, entry.person).filter((other) => other.order > entry.order)) {
    if (one.number !== number) {
      put.push({ ...one, number, key: newKey(), refusal: null });
      remove.push(one.key);
    }
    number += 1;
  }
  return { put, remove };
}

/** Without an entry. Hands behind one that nobody else has recorded move up. */
export function takeBack(entries, key, newKey) {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined) return { put: [], remove: [] };
  const isFree = entry.number !== null && entry.refusal?.code !== "WRONG_HAND";
  const { put, remove } = isFree ? renumbered(entries, entry, entry.number, newKey) : { put: [], remove: [] };
  return { put, remove: [key, ...remove] };
}

/** A hand that turned out to be another one than that which is stored: with its new number, and those behind it. */
export function sendAs(entries, key, number, newKey) {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined) return { put: [], remove: [] };
  const { put, remove } = renumbered(entries, entry, number + 1, newKey);
  return { put: [{ ...entry, number, key: newKey(), refusal: null }, ...put], remove: [key, ...remove] };
}

/** An entry with some other content, such as another time, to be sent again. */
export function again(entries, key, content, newKey) {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined) return { put: [], remove: [] };
  return { put: [{ ...entry, ...content, key: newKey(), refusal: null }], remove: [key] };
}

/** All that somebody else has left on this device, under the name of `person`, who asked for it. */
export function adopt(entries, person, newKey) {
  const others = inOrder(entries.filter((one) => one.person !== person));
  const put = others.map((one, index) => ({ ...one, person, key: newKey(), order: last(entries) + 1 + index }));
  return { put, remove: others.map((one) => one.key) };
}

/** What is to be sent next: the first of a match that does not wait for a decision. Undefined: nothing. */
export function toSend(entries, person) {
  const own = inOrder(entries.filter((one) => one.person === person));
  const stopped = new Set();
  for (const one of own) {
    if (stopped.has(one.match)) continue;
    if (one.refusal === null) return one;
    stopped.add(one.match);
  }
  return undefined;
}

/** The fields of the form as the server gets them. */
export function sentOf(entry) {
  const own = [["idempotencyKey", entry.key], ["playedAt", entry.playedAt]];
  if (entry.number !== null) own.push(["hand", String(entry.number)]);
  return [...entry.fields, ...own];
}
