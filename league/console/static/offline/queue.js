// The rules of the queue of what was recorded on this device and not sent yet. They need no browser.
//
// An entry: { key, person, match, order, number, address, fields, playedAt, refusal, … }. `key` is its idempotency key. A key
// never stands for two contents: a changed entry gets a new key. `number` is the number of a hand, else null. Each function
// takes all entries, and returns the entries to `put` and the keys to `remove`.

export const inOrder = (entries) => [...entries].sort((one, other) => one.order - other.order);

export const ofMatch = (entries, match, person) =>
  inOrder(entries.filter((one) => one.match === match && one.person === person));

const handsOf = (entries, match, person) => ofMatch(entries, match, person).filter((one) => one.number !== null);

/** The number of the next hand. `stored`: the next number as far as the page knows. */
export const nextHand = (entries, match, person, stored) =>
  Math.max(stored, ...handsOf(entries, match, person).map((one) => one.number + 1));

const last = (entries) => Math.max(0, ...entries.map((one) => one.order));

export const add = (entries, entry) => ({ put: [{ ...entry, order: last(entries) + 1, refusal: null }], remove: [] });

/** Replaces an entry by another. Null if the entry is no longer there. */
export function replace(entries, key, entry) {
  const before = entries.find((one) => one.key === key);
  if (before === undefined) return null;
  const number = entry.number !== null && before.number !== null ? before.number : entry.number;
  return { put: [{ ...entry, number, order: before.order, playedAt: before.playedAt, refusal: null }], remove: [key] };
}

/** Renumbers the hands after an entry, from `number` on. Hands whose number changes get a new key. */
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

/** Removes an entry. The hands after it move up, unless somebody else has recorded its hand. */
export function takeBack(entries, key, newKey) {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined) return { put: [], remove: [] };
  const isFree = entry.number !== null && entry.refusal?.code !== "WRONG_HAND";
  const { put, remove } = isFree ? renumbered(entries, entry, entry.number, newKey) : { put: [], remove: [] };
  return { put, remove: [key, ...remove] };
}

/** Gives a hand a new number, because the stored hand is another one, and renumbers the hands after it. */
export function sendAs(entries, key, number, newKey) {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined) return { put: [], remove: [] };
  const { put, remove } = renumbered(entries, entry, number + 1, newKey);
  return { put: [{ ...entry, number, key: newKey(), refusal: null }, ...put], remove: [key, ...remove] };
}

/** Queues an entry again with changed content, such as another time. */
export function again(entries, key, content, newKey) {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined) return { put: [], remove: [] };
  return { put: [{ ...entry, ...content, key: newKey(), refusal: null }], remove: [key] };
}

/** Moves the entries that others left on this device to `person`, who asked for it. */
export function adopt(entries, person, newKey) {
  const others = inOrder(entries.filter((one) => one.person !== person));
  const put = others.map((one, index) => ({ ...one, person, key: newKey(), order: last(entries) + 1 + index }));
  return { put, remove: others.map((one) => one.key) };
}

/** The entry to send next: the first of any match in which no refused entry awaits a decision. Undefined if there is none. */
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

/** The fields to send for an entry. */
export function sentOf(entry) {
  const own = [["idempotencyKey", entry.key], ["playedAt", entry.playedAt]];
  if (entry.number !== null) own.push(["hand", String(entry.number)]);
  return [...entry.fields, ...own];
}
