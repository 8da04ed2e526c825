// How this device takes part in the drawings of a tournament: it promises random bytes before a drawing, gives them after
// it, and shows whether they count. It gives them once, and only for a signed root whose log has its promise.

import { checker, promise, store, storedFor, verdict } from "./draw_secrets.js";

const AGAIN = 1000; // milliseconds before it looks again while a drawing waits, or the connection is broken
const COMMITTED = "tournament-seed-committed/1";
const LATE = "DRAWING_CLOSED"; // the refusal of bytes that came too late

let isLooking = false, isStale = false, said = null;

const card = () => document.getElementById("device");

/** Asks how far the drawing has come, and takes part in it. */
async function look() {
  if (card() === null) return;
  if (isLooking) {
    isStale = true;
    return;
  }
  isLooking = true;
  let isWaiting = false;
  try {
    const response = await fetch(card().dataset.address, { headers: { Accept: "application/json" } });
    if (response.ok) isWaiting = await alone(async () => takePart(await response.json()));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // a TypeError means that there is no connection
    isWaiting = true;
  } finally {
    isLooking = false;
  }
  if (isStale || isWaiting) setTimeout(look, isStale ? 0 : AGAIN);
  isStale = false;
}

/** Runs `work` under a lock, because only one tab of this browser may promise and give bytes. */
const alone = (work) => (navigator.locks ? navigator.locks.request("draw", work) : work());

/** Promises or gives bytes as the drawing needs. Returns whether to look again soon. */
async function takePart(now) {
  const { tournament, competitor, round } = now;
  if (!now.takesPart) {
    show(null);
    return false;
  }
  const address = card().dataset.checker;
  let found = null;
  if (round?.drawingState === "ASKING") found = await give(now);
  else if (round?.drawingState === "PAIRED") found = await verdict(tournament, competitor, round, address);
  let next = now.commitment === null || now.commitment in storedFor(tournament).promises ? "ready" : "other";
  if (now.commitment === null && !["asked", "giving"].includes(found)) next = await commit(now); // otherwise the bytes take the next promise along
  show(found, next);
  return round !== null && round.drawingState !== "PAIRED";
}

async function commit({ tournament, competitor }) {
  const commitment = await promise(tournament, card().dataset.checker);
  if (commitment === null) return "unable";
  const { refusal, status } = await send("commit", { competitor, commitment, idempotencyKey: `commit-${commitment}` });
  mustNotFail(status);
  return refusal === null ? "ready" : "other";
}

/** Gives the bytes that a drawing asks for, if the league proves its root. Returns the word that the page shows. */
async function give({ tournament, competitor, round }) {
  const asked = round.commitments.find((one) => one.competitorId === competitor);
  const stored = storedFor(tournament), own = asked && stored.promises[asked.commitment];
  if (!own) return null;
  const address = card().dataset.checker;
  const proven = await provenRoot(tournament, competitor, asked.commitment, stored.key, address);
  if (proven.word) return proven.word;
  // The bytes are given for one root only.
  if (own.given !== null && own.given.root !== proven.root) return "other-root";
  if (own.given?.answer === "late") return "missed";
  // Store the root before the bytes are sent, and the answer after it came.
  const isFirst = own.given === null;
  own.given ??= { round: round.number, drawing: round.drawings, root: proven.root, answer: null };
  if (!store(tournament, { ...stored, key: proven.key })) return "unable";
  const nextCommitment = own.next ?? (await promise(tournament, address));
  const later = storedFor(tournament);
  later.promises[asked.commitment].next = nextCommitment;
  store(tournament, later);
  const values = { competitor, round: round.number, drawing: round.drawings, contribution: own.bytes, nextCommitment };
  const { refusal, status } = await send("contribute", { ...values, idempotencyKey: `give-${asked.commitment}` });
  const isLate = refusal?.code === LATE;
  // Late on a second attempt does not mean late on the first, when the league may have seen the bytes.
  if (!isLate || isFirst) storeAnswer(tournament, asked.commitment, isLate ? "late" : "other");
  mustNotFail(status);
  if (refusal === null || refusal.code === "ALREADY_CONTRIBUTED") return "giving";
  return isLate && isFirst ? "missed" : "asked";
}

/** Stores how the league answered to the bytes of a promise. Without an answer it stays null. */
function storeAnswer(tournament, commitment, answer) {
  const stored = storedFor(tournament);
  stored.promises[commitment].given.answer = answer;
  store(tournament, stored);
}

/** The root of the drawing if the league signed it and its log has the promise; otherwise the word that says why not. */
async function provenRoot(tournament, competitor, commitment, key, address) {
  const { leagueProof } = await checker(address);
  const url = `${card().dataset.address}/proof?${new URLSearchParams({ competitor })}`;
  const response = await fetch(url);
  if (response.status === 204) return { word: "asked" }; // the root is not signed yet
  if (!response.ok) return { word: "unproven" };
  const text = await response.text();
  try {
    const given = JSON.parse(text).head.key;
    if (key !== null && key !== given) return { word: "other-key" };
    const proof = await leagueProof.checkProof(leagueProof.utf8(text), [leagueProof.fromHex(given)]);
    const [{ event }] = proof.events;
    const { body } = JSON.parse(new TextDecoder().decode(event.state));
    const isOurs = event.stream === `tournament:${tournament}` && event.name === COMMITTED;
    if (!isOurs || body.competitor !== competitor || body.commitment !== commitment) return { word: "unproven" };
    return { root: leagueProof.toHex(proof.head.root), key: given };
  } catch (error) {
    if (error instanceof leagueProof.BadProof || error instanceof SyntaxError) return { word: "unproven" };
    throw error;
  }
}

/** Sends a promise or bytes. Returns the status of the answer, and the refusal or null. */
async function send(move, values) {
  const body = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== null));
  const response = await fetch(`${card().dataset.address}/${move}`, { method: "POST", headers: { Accept: "application/json" }, body });
  return { status: response.status, refusal: response.status === 422 ? await response.json() : null };
}

/** Throws if the league neither accepted nor refused, so that the device tries again. */
function mustNotFail(status) {
  if (status >= 300 && status !== 422) throw new TypeError(`the league answered ${status}`);
}

/** Says how the last drawing used this device's bytes, and whether it takes part in the next one. */
function show(...what) {
  said = what;
  const [found, next] = what;
  card().hidden = found === null && next === undefined;
  for (const one of card().querySelectorAll("[data-when]")) {
    one.hidden = ![found, next].includes(one.dataset.when);
  }
}

look();
document.addEventListener("league:changed", look);
document.addEventListener("league:connected", look);
document.addEventListener("visibilitychange", () => document.hidden || look());
// After a refresh of the page, show the words again.
document.addEventListener("league:refreshed", () => card() !== null && said !== null && show(...said));
