// What this browser added to shuffles, and the seals that it saw before the deal. They are stored on the device and compared
// when the hand is over.

const KEPT = 60; // hands
const PREFIX = "deal:";
const nameOf = (table, hand) => `${PREFIX}${table}:${hand}`;

/** 32 random bytes in hexadecimal. */
export function randomBytes() {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Stores a published seal, and the contribution that was sent for it. */
export function keep(table, hand, commitment, contribution = null) {
  const kept = keptOf(table, hand) ?? { at: Date.now(), commitments: [], contributions: [] };
  if (!kept.commitments.includes(commitment)) kept.commitments.push(commitment);
  if (contribution !== null) kept.contributions.push(contribution);
  try {
    localStorage.setItem(nameOf(table, hand), JSON.stringify(kept));
    dropOldest();
  } catch {
    // A browser that stores nothing can still play.
  }
}

/** What is stored about a hand; null if this browser did not see the hand being shuffled. */
export function keptOf(table, hand) {
  try {
    return JSON.parse(localStorage.getItem(nameOf(table, hand)));
  } catch {
    return null;
  }
}

function dropOldest() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  if (names.length <= KEPT) return;
  const aged = names.map((name) => [JSON.parse(localStorage.getItem(name)).at, name]).sort();
  for (const [, name] of aged.slice(0, names.length - KEPT)) localStorage.removeItem(name);
}
