// What this device has promised to drawings and given for them. It is kept in the browser, to compare it with what the
// league publishes.

const KEPT = 40; // promises of a tournament
const PREFIX = "draw:";

const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** The reader of proofs, and the hash for pages that are not secure, where browsers offer none. */
export const checker = (address) => import(address);

/** The SHA-256 of bytes, in hexadecimal. */
export async function sha256(bytes, address) {
  if (crypto.subtle) return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  return hexOf((await checker(address)).noble.sha256(bytes));
}

/** Whether bytes in hexadecimal fit a commitment. */
export const fits = async (bytes, commitment, address) => (await sha256(bytesOf(bytes), address)) === commitment;

/** The seed of a round, as docs/tournaments.md tells. */
export async function seedOf(tournament, { root, number, contributions }, address) {
  const said = `${root},${tournament},${number}`;
  const given = contributions.map((one) => one.bytes).join(",");
  return sha256(new TextEncoder().encode(given ? `${said},${given}` : said), address);
}

/** What is kept of a tournament: the key that the league signs with, and by commitment the bytes and what became of them. */
export function keptOf(tournament) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + tournament)) ?? { key: null, promises: {} };
  } catch {
    return { key: null, promises: {} };
  }
}

/** Keeps it. Returns whether the browser does so. */
export function keep(tournament, kept) {
  const newest = Object.entries(kept.promises).sort(([, one], [, other]) => other.at - one.at).slice(0, KEPT);
  const text = JSON.stringify({ ...kept, promises: Object.fromEntries(newest) });
  try {
    localStorage.setItem(PREFIX + tournament, text);
    return localStorage.getItem(PREFIX + tournament) === text;
  } catch {
    return false;
  }
}

/** Makes 32 random bytes and keeps them. Returns the commitment to them; null where the browser keeps nothing. */
export async function promise(tournament, address) {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const commitment = await sha256(bytes, address);
  const kept = keptOf(tournament);
  kept.promises[commitment] = { bytes: hexOf(bytes), at: Date.now(), given: null };
  return keep(tournament, kept) ? commitment : null;
}

/** The promises of this device whose bytes it gave for a drawing: also where the league does not list them any more. A
 * round that is drawn fewer times than this device saw is of another log. */
export const givenFor = (tournament, { number, drawings }) =>
  Object.values(keptOf(tournament).promises).filter(({ given }) => given?.round === number && given.drawing >= drawings);

/** Whether bytes that this device gave are in a round, with the root for which it gave them. */
export const isUsed = ({ bytes, given }, { root, contributions }) =>
  given.root === root && contributions.some((one) => one.bytes === bytes);

/** Whether bytes that this device sent came too late for a round. Only a refusal that says so shows it: a league that has
 * seen them can end in an error, or break the line. */
export const isLate = (one, round) => one.given.answer === "late" && one.given.root === round.root && !isUsed(one, round);

/** What became of this device's bytes in a drawing that is paired: a word of the page; null for no part in it. */
export async function verdict(tournament, competitor, round, address) {
  const given = givenFor(tournament, round);
  if (given.some((one) => one.given.root !== round.root)) return "other-root";
  const omitted = given.filter((one) => !isUsed(one, round) && !isLate(one, round));
  if (omitted.length > 0) return omitted.some((one) => one.given.answer !== null) ? "left-out" : "uncertain";
  if (given.some((one) => isLate(one, round))) return "missed";
  const asked = round.commitments.find((one) => one.competitorId === competitor);
  if (asked && keptOf(tournament).promises[asked.commitment]?.given === null) return "missed";
  if (given.length === 0) return null;
  return (await seedOf(tournament, round, address)) === round.seed ? "counts" : "left-out";
}
