// The page of a live table: follows its events, draws what is new, sends what the player does.

import { drawChain } from "./chain.js";
import { Clock } from "./clock.js";
import { Hand } from "./hand.js";
import { follow, send } from "./line.js";
import { Muted } from "./muted.js";
import { keep, randomBytes } from "./seeds.js";
import { Words, commentary } from "./words.js";

const root = document.getElementById("live-table");
const id = root.dataset.id;
const words = new Words(JSON.parse(root.dataset.sentences));
const find = (name) => document.getElementById(name);
const title = document.title;
const LONGEST_LOG = 60;
const RESULT_SHOWN = 3000; // milliseconds at most between two hands
/** After these the server's part of the page, such as results and seats, is another one. */
const CHANGES_THE_PAGE = new Set([
  "SeatTaken", "SeatLeft", "SeatReady", "PlayBegan", "HandDealt", "HandEnded", "HandDropped", "SeatHandedOver", "SeatBack", "TableClosed",
]);
const FROM_THE_SERVER = ["head", "result", "finished", "leaving", "talk"];

let now = null; // the newest event, with the table right after it
let heardAt = 0;
let names = [];
let me = null; // the own seat
let hint = ""; // why nothing can be played
let isSending = false;
let contributed = null;
let drawing = null;

// ------------------------------------------------------------------ what comes in

function hear(event) {
  const before = now;
  now = event;
  heardAt = performance.now();
  const { table } = event;
  names = table.seats.map((seat) => nameOf(seat));
  if (before === null) me = table.viewerSeat;
  else if (table.viewerSeat !== me) return changeSeat(table);
  const said = commentary(words, event, names, me);
  if (said !== null) note(said, event);
  if (event.__typename === "TableClosed") muted.forget();
  if (event.__typename === "TurnPassed" && event.seat === me) hint = said;
  else if (event.__typename === "TilePlayed" && event.seat === me) hint = "";
  if (event.__typename === "TurnPassed" || event.__typename === "TileDrawn") flash(event.seat, said);
  contribute(table);
  offer(table);
  if (before === null || CHANGES_THE_PAGE.has(event.__typename)) refresh();
  // Several events may come at once: the last one is drawn.
  drawing ??= setTimeout(() => {
    drawing = null;
    draw();
  });
}

function nameOf(seat) {
  if (seat.player) return seat.player.displayName;
  return document.querySelector(`#seat-${seat.number} h2 bdi`)?.textContent ?? "";
}

/** The visitor sat down or stood up: the whole room turns. Or the session has ended. */
function changeSeat(table) {
  if (table.viewerSeat === null && table.phase !== "OPEN" && table.phase !== "CLOSED") {
    complain(words.say("signed_out"));
    find("mine").hidden = true;
    return;
  }
  location.reload();
}

function note(text, event) {
  const line = document.createElement("p");
  line.dir = "auto";
  line.textContent = text;
  if (event.__typename === "PhraseSaid") line.className = "phrase";
  if (event.__typename === "HandEnded" || event.__typename === "TableClosed") line.className = "important";
  const log = find("log");
  log.append(line);
  while (log.children.length > LONGEST_LOG) log.firstChild.remove();
  log.scrollTop = log.scrollHeight;
  if (event.__typename === "PhraseSaid") flash(event.seat, text);
}

/** Says something beside a seat for a moment. */
function flash(seat, text) {
  const place = document.querySelector(`#seat-${seat}`);
  place.querySelector(".bubble")?.remove();
  const bubble = document.createElement("p");
  bubble.className = "bubble";
  bubble.setAttribute("aria-hidden", "true"); // the log says it
  bubble.textContent = text;
  place.append(bubble);
  setTimeout(() => bubble.remove(), 4000);
}

// ------------------------------------------------------------------ what is drawn

const isMyTurn = () => now.table.phase === "PLAYING" && me !== null && now.table.hand?.toMove === me && (now.table.hand.legalPlays ?? []).length > 0;

function draw() {
  const { table } = now;
  root.dataset.phase = table.phase;
  root.toggleAttribute("data-empty", !table.hand?.chain.length);
  drawSeats(table);
  drawTime(table);
  find("status").textContent = statusOf(table);
  document.title = isMyTurn() ? `● ${title}` : title;
  root.toggleAttribute("data-my-turn", isMyTurn());
  if (hand !== null) {
    const plays = isMyTurn() && !isSending ? table.hand.legalPlays : [];
    if (plays.length > 0) hint = "";
    hand.show(table.hand?.ownTiles ?? [], plays, hint || words.say("not_your_turn"));
    find("mine").hidden = !(table.hand?.ownTiles?.length > 0);
    find("why").textContent = hint;
    if (plays.length > 0 && document.activeElement === document.body) hand.focus();
  } else drawTheChain();
}

function statusOf(table) {
  const playing = table.hand;
  if (table.phase === "CLOSED") return words.say(`closed_${table.closed}`);
  if (table.phase === "SHUFFLING") return words.say("shuffling");
  if (table.phase === "OFFERING") return words.say("offer_waits");
  if (table.phase === "PAUSED") {
    const away = table.seats.filter((seat) => seat.awaySince !== null).map((seat) => names[seat.number]);
    return words.say("paused", { name: words.list(away) });
  }
  if (table.phase !== "PLAYING" || playing === null) return find("status").textContent;
  if (!isMyTurn()) return words.say("waits_for", { name: names[playing.toMove] });
  const tiles = words.list([...new Set(playing.legalPlays.map((play) => words.tile([...play.tile].sort((a, b) => a - b))))]);
  if (playing.ends === null) return playing.legalPlays.length < playing.ownTiles.length ? words.say("you_start_with", { tiles }) : words.say("your_turn_first");
  return `${words.say("your_turn", { ends: words.ends(playing.ends) })} ${words.say("you_can", { tiles })}`;
}

function drawSeats(table) {
  for (const seat of table.seats) {
    const place = document.querySelector(`#seat-${seat.number}`);
    const count = table.hand?.counts?.[seat.number];
    place.toggleAttribute("data-turn", table.phase === "PLAYING" && table.hand?.toMove === seat.number);
    place.toggleAttribute("data-away", seat.awaySince !== null);
    place.querySelector("[data-count]").textContent = count === undefined ? "" : words.say(count === 1 ? "tile_left" : "tiles_left", { count });
  }
  for (const cell of document.querySelectorAll("[data-score]")) cell.textContent = table.score?.[cell.dataset.score] ?? cell.textContent;
}

function drawTime(table) {
  if (table.deadline === null || ["OPEN", "CLOSED"].includes(table.phase)) return clock.hide();
  const left = new Date(table.deadline.at) - new Date(now.now) - (performance.now() - heardAt);
  const isTurn = table.deadline.what === "TURN";
  clock.show(`${table.deadline.at} ${table.deadline.what}`, left, isTurn ? root.dataset.seconds * 1000 : left, isTurn);
}

/** The chain, with the ends on which the chosen tile can go. */
function drawTheChain(plays = []) {
  const chain = now?.table.hand?.chain ?? [];
  const tiles = chain.map((one) => words.tile(one.tile)).join(", ");
  const label = chain.length ? words.say("chain", { tiles }) : words.say("empty_chain");
  const [left, right] = now?.table.hand?.ends ?? ["", ""];
  const shows = { LEFT: left, RIGHT: right, FIRST: "" };
  const open = Object.fromEntries(plays.map((play) => [play.end ?? "FIRST", shows[play.end ?? "FIRST"]]));
  const place = document.querySelector("#felt .chain");
  drawChain(place, chain, { label, open, onEnd: (end) => playTile(plays.find((play) => (play.end ?? "FIRST") === end)) });
}

/** The buttons below the hand: where the chosen tile can be played. */
function drawEnds(plays) {
  const place = find("ends");
  const [left, right] = now?.table.hand?.ends ?? [];
  const labels = plays.map((play) =>
    play.end === null ? words.say("play", { tile: words.tile(play.tile) }) : words.say(play.end === "LEFT" ? "play_left" : "play_right", { shows: play.end === "LEFT" ? left : right }));
  place.hidden = plays.length === 0;
  if ([...place.children].map((button) => button.textContent).join() === labels.join() && place.plays === plays) return;
  place.replaceChildren(...plays.map((play, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = labels[at];
    button.addEventListener("click", () => playTile(play));
    return button;
  }));
}

/** The parts of the page that the server makes, such as results. */
async function refresh() {
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const seats = now.table.seats.map((seat) => `seat-${seat.number}`);
    for (const name of [...FROM_THE_SERVER, ...seats]) {
      const [here, there] = [find(name), page.getElementById(name)];
      // What somebody is using is left alone.
      if (here === null || there === null || here.matches(":focus-within") && name !== "leaving" && !name.startsWith("seat")) continue;
      if (here.querySelector("details[open]")) there.querySelector("details")?.setAttribute("open", "");
      window.Idiomorph.morph(here, there, { morphStyle: "outerHTML", ignoreActiveValue: true });
    }
    showMuted();
    draw();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // without a line the next event asks again
  }
}

// ------------------------------------------------------------------ what goes out

const address = (move) => root.dataset.moves + move;

function complain(text) {
  const place = find("refusal");
  place.hidden = text === "";
  place.textContent = text;
}

async function act(move, values = {}, more = {}) {
  const refusal = await send(address(move), values, more);
  complain(refusal?.message ?? "");
  return refusal;
}

async function playTile(play) {
  if (play === undefined || isSending || !isMyTurn()) return;
  const { number, turn } = now.table.hand;
  isSending = true;
  hand.pick(null);
  draw();
  const isStillWanted = () => now.table.hand?.number === number && now.table.hand.turn === turn;
  const slow = () => complain(words.say("sending"));
  await act("play", { hand: number, turn, tile: play.tile.join("-"), ...(play.end && { end: play.end }) }, { slow, isStillWanted });
  isSending = false;
  draw();
}

/** Adds random bytes of this browser to the shuffle of a hand, once. After a hand it waits a little, so that all can read how
 *  it ended: the next one is dealt when everybody has contributed. */
async function contribute(table) {
  const dealing = table.hand;
  if (me === null || table.phase !== "SHUFFLING" || dealing === null) return;
  const isMine = table.seats[me].playedBy === "PLAYER" && dealing.contributions[me] === null;
  if (!isMine || contributed === dealing.commitment) return;
  contributed = dealing.commitment;
  const left = new Date(table.deadline?.at ?? now.now) - new Date(now.now);
  if (dealing.number > 1) await new Promise((resolve) => setTimeout(resolve, Math.min(RESULT_SHOWN, Math.max(0, left / 2))));
  const contribution = randomBytes();
  keep(id, dealing.number, dealing.commitment, contribution);
  const isStillWanted = () => now.table.hand?.commitment === dealing.commitment && now.table.phase === "SHUFFLING";
  // A refusal means that it came too late, or that another device of the player was faster.
  await send(address("contribute"), { hand: dealing.number, contribution }, { isStillWanted });
}

function offer(table) {
  const dialog = find("offer");
  const isOffered = me !== null && table.phase === "OFFERING" && table.hand.reshuffleOffers.includes(me) && table.seats[me].playedBy === "PLAYER";
  if (isOffered && !dialog.open) {
    dialog.returnValue = "";
    dialog.showModal();
  } else if (!isOffered && dialog.open) dialog.close("");
}

find("offer").addEventListener("cancel", () => { find("offer").returnValue = "keep"; });
find("offer").addEventListener("close", ({ target }) => {
  if (target.returnValue && now.table.hand) act(target.returnValue, { hand: now.table.hand.number });
});
find("leave").addEventListener("close", async ({ target }) => {
  if (target.returnValue !== "leave") return;
  if ((await act("leave")) === null) location.assign(document.querySelector("#leaving a").href);
});

// ------------------------------------------------------------------ what the player does

document.addEventListener("submit", (event) => {
  const move = event.target.dataset.move;
  if (move === undefined) return;
  event.preventDefault();
  const buttons = event.target.querySelectorAll("button");
  for (const button of buttons) button.disabled = true;
  act(move, Object.fromEntries(new FormData(event.target))).finally(() => {
    for (const button of buttons) button.disabled = false;
  });
});

const muted = new Muted(id, root.dataset.player, showMuted);

function showMuted() {
  for (const button of document.querySelectorAll("[data-mute]")) {
    const isMuted = muted.has(button.dataset.mute);
    button.setAttribute("aria-pressed", String(isMuted));
    button.textContent = words.say(isMuted ? "muted" : "mute", { name: button.dataset.name });
  }
}

async function mute(player) {
  if ((await act(muted.has(player) ? "unmute" : "mute", { player })) !== null) return;
  muted.toggle(player);
  showMuted();
}

root.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button === null) return;
  if (button.dataset.opens) {
    find(button.dataset.opens).returnValue = "";
    find(button.dataset.opens).showModal();
  } else if (button.dataset.phrase) act("say", { phrase: button.dataset.phrase });
  else if (button.dataset.mute) mute(button.dataset.mute);
});

const clock = new Clock(find("clock"), (count) => {
  if (isMyTurn()) note(words.say("seconds", { count }), {});
});
const hand = find("hand") === null ? null : new Hand(find("hand"), words, {
  felt: find("felt"),
  play: playTile,
  complain: (text) => { find("why").textContent = text || hint; },
  choose: (plays) => {
    drawEnds(plays);
    drawTheChain(plays);
  },
});

new ResizeObserver(() => { if (now !== null) hand === null ? drawTheChain() : hand.mark(); }).observe(document.querySelector("#felt .chain"));
document.querySelector("#felt .chain").dataset.live = "";
showMuted();
follow(root.dataset.stream, {
  hear,
  tell: (isThere) => { find("line").hidden = isThere; },
  refuse: (refusal) => complain(refusal.message),
  over: () => { find("line").hidden = true; },
});
