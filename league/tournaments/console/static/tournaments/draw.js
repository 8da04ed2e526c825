// The part of this device in the drawings of a tournament: it promises random bytes before a drawing, gives them after it,
// and shows whether they count. It gives them once, and only for a signed root whose log has its promise.

import { checker, keep, keptOf, promise, verdict } from "./draw_secrets.js";

const AGAIN = 1000; // milliseconds after which it looks again while a drawing waits, or the line is broken
const COMMITTED = "tournament-seed-committed/1";
const LATE = "DRAWING_CLOSED"; // the refusal of bytes that came too late

let isLooking = false, isStale = false, said = null;

const card = () => document.getElementById("device");

/** Looks how far the drawing is, and does this device's part. */
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
    if (!(error instanceof TypeError)) throw error; // a TypeError: there is no line
    isWaiting = true;
  } finally {
    isLooking = false;
  }
  if (isStale || isWaiting) setTimeout(look, isStale ? 0 : AGAIN);
  isStale = false;
}

/** Does something while no other tab of this browser does it: a promise is given once. */
const alone = (work) => (navigator.locks ? navigator.locks.request("draw", work) : work());

/** Does this device's part. Returns whether to look again soon. */
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
  let next = now.commitment === null || now.commitment in keptOf(tournament).promises ? "ready" : "other";
  if (now.commitment === null && !["asked", "giving"].includes(found)) next = await commit(now); // else it goes with the bytes
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

/** Gives the bytes that a drawing asks for, for a root that the league proves. Returns a word of the page. */
async function give({ tournament, competitor, round }) {
  const asked = round.commitments.find((one) => one.competitorId === competitor);
  const kept = keptOf(tournament), own = asked && kept.promises[asked.commitment];
  if (!own) return null;
  const address = card().dataset.checker;
  const proven = await provenRoot(tournament, competitor, asked.commitment, kept.key, address);
  if (proven.word) return proven.word;
  // Once: for another root it gives nothing.
  if (own.given !== null && own.given.root !== proven.root) return "other-root";
  if (own.given?.answer === "late") return "missed";
  // The root is kept before the bytes are sent, and what the league answers after its answer.
  const isFirst = own.given === null;
  own.given ??= { round: round.number, drawing: round.drawings, root: proven.root, answer: null };
  if (!keep(tournament, { ...kept, key: proven.key })) return "unable";
  const nextCommitment = own.next ?? (await promise(tournament, address));
  const later = keptOf(tournament);
  later.promises[asked.commitment].next = nextCommitment;
  keep(tournament, later);
  const values = { competitor, round: round.number, drawing: round.drawings, contribution: own.bytes, nextCommitment };
  const { refusal, status } = await send("contribute", { ...values, idempotencyKey: `give-${asked.commitment}` });
  const isLate = refusal?.code === LATE;
  // That they are late when they are sent again does not say so of the first time, when the league may have seen them.
  if (!isLate || isFirst) keepAnswer(tournament, asked.commitment, isLate ? "late" : "other");
  mustNotFail(status);
  if (refusal === null || refusal.code === "ALREADY_CONTRIBUTED") return "giving";
  return isLate && isFirst ? "missed" : "asked";
}

/** Keeps how the league answered to the bytes of a promise. Without an answer it stays null. */
function keepAnswer(tournament, commitment, answer) {
  const kept = keptOf(tournament);
  kept.promises[commitment].given.answer = answer;
  keep(tournament, kept);
}

/** The root of the drawing, if the league has signed it and its log has the promise; else the word that says why not. */
async function provenRoot(tournament, competitor, commitment, key, address) {
  const { leagueProof } = await checker(address);
  const url = `${card().dataset.address}/proof?${new URLSearchParams({ competitor })}`;
  const response = await fetch(url);
  if (response.status === 204) return { word: "asked" }; // the root is signed a moment later
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

/** Sends this device's part. Returns the status of the answer, and the refusal or null. */
async function send(move, values) {
  const body = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== null));
  const response = await fetch(`${card().dataset.address}/${move}`, { method: "POST", headers: { Accept: "application/json" }, body });
  return { status: response.status, refusal: response.status === 422 ? await response.json() : null };
}

/** Throws where the league neither did its part nor refused: it is tried again. */
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
// The page was exchanged, and says nothing again.
document.addEventListener("league:refreshed", () => card() !== null && said !== null && show(...said));
