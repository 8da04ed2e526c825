// Stores in the browser what this device promised to drawings and gave for them, to compare it with what the league
// publishes.

const MOST_PROMISES = 40; // limit on stored promises per tournament
const PREFIX = "draw:";

const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** The module that reads proofs. It also has a hash for insecure pages, where browsers offer none. */
export const checker = (address) => import(address);

/** The SHA-256 of bytes, in hexadecimal. */
export async function sha256(bytes, address) {
  if (crypto.subtle) return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  return hexOf((await checker(address)).noble.sha256(bytes));
}

/** Whether bytes in hexadecimal fit a commitment. */
export const fits = async (bytes, commitment, address) => (await sha256(bytesOf(bytes), address)) === commitment;

/** The seed of a round, as docs/tournaments.md defines it. */
export async function seedOf(tournament, { root, number, contributions }, address) {
  const said = `${root},${tournament},${number}`;
  const given = contributions.map((one) => one.bytes).join(",");
  return sha256(new TextEncoder().encode(given ? `${said},${given}` : said), address);
}

/** What is stored for a tournament: the league's public key, and for each commitment its bytes and their fate. */
export function storedFor(tournament) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + tournament)) ?? { key: null, promises: {} };
  } catch {
    return { key: null, promises: {} };
  }
}

/** Stores it. Returns whether the browser really did. */
export function store(tournament, stored) {
  const newest = Object.entries(stored.promises).sort(([, one], [, other]) => other.at - one.at).slice(0, MOST_PROMISES);
  const text = JSON.stringify({ ...stored, promises: Object.fromEntries(newest) });
  try {
    localStorage.setItem(PREFIX + tournament, text);
    return localStorage.getItem(PREFIX + tournament) === text;
  } catch {
    return false;
  }
}

/** Makes 32 random bytes and stores them. Returns their commitment; null if the browser stores nothing. */
export async function promise(tournament, address) {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const commitment = await sha256(bytes, address);
  const stored = storedFor(tournament);
  stored.promises[commitment] = { bytes: hexOf(bytes), at: Date.now(), given: null };
  return store(tournament, stored) ? commitment : null;
}

/** The promises whose bytes this device gave for a round, even if the league does not list them any more. If the round
 * has fewer drawings than this device saw, it belongs to another log. */
export const givenFor = (tournament, { number, drawings }) =>
  Object.values(storedFor(tournament).promises).filter(({ given }) => given?.round === number && given.drawing >= drawings);

/** Whether a round has the bytes that this device gave, and the root for which it gave them. */
export const isUsed = ({ bytes, given }, { root, contributions }) =>
  given.root === root && contributions.some((one) => one.bytes === bytes);

/** Whether the bytes that this device sent came too late for a round. Only a refusal shows it, because a league that has
 * seen the bytes can still answer with an error or break the connection. */
export const isLate = (one, round) => one.given.answer === "late" && one.given.root === round.root && !isUsed(one, round);

/** The word that the page shows for the fate of this device's bytes in a paired drawing; null if it had no part. */
export async function verdict(tournament, competitor, round, address) {
  const given = givenFor(tournament, round);
  if (given.some((one) => one.given.root !== round.root)) return "other-root";
  const omitted = given.filter((one) => !isUsed(one, round) && !isLate(one, round));
  if (omitted.length > 0) return omitted.some((one) => one.given.answer !== null) ? "left-out" : "uncertain";
  if (given.some((one) => isLate(one, round))) return "missed";
  const asked = round.commitments.find((one) => one.competitorId === competitor);
  if (asked && storedFor(tournament).promises[asked.commitment]?.given === null) return "missed";
  if (given.length === 0) return null;
  return (await seedOf(tournament, round, address)) === round.seed ? "counts" : "left-out";
}
