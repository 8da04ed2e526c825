// Draws the table: the chain, the player's tiles, the ends on which a tile can go, the clock, the seats and the score.

import { drawChain } from "./chain.js";
import { Clock } from "./clock.js";
import { Hand } from "./hand.js";
import { isMyTurn, isSent, known } from "./known.js";
import { note } from "./log.js";
import { find, placeOf, root, words } from "./page.js";
import { statusOf } from "./status.js";

const title = document.title;
let clock = null;
let hand = null; // null if the visitor only watches
let playTile = null;

/** Prepares the drawing. `play` is called with the play that the player has chosen. */
export function prepare({ play }) {
  playTile = play;
  clock = new Clock(find("clock"), (count) => {
    if (isMyTurn()) note(words.say("seconds", { count }));
  });
  if (find("hand") !== null) {
    hand = new Hand(find("hand"), words, {
      felt: find("felt"),
      play,
      complain: (text) => { find("why").textContent = text || known.hint; },
      choose: (plays) => {
        drawEnds(plays);
        drawTheChain(plays);
      },
    });
  }
  const chain = document.querySelector("#felt .chain");
  chain.dataset.live = "";
  new ResizeObserver(() => {
    if (known.table === null) return;
    if (hand === null) drawTheChain();
    else hand.mark();
  }).observe(chain);
  // The room takes the rest of the screen, so that the own tiles are in sight without scrolling.
  const room = document.querySelector(".room");
  new ResizeObserver(() => root.style.setProperty("--above", `${Math.ceil(room.getBoundingClientRect().top + scrollY)}px`)).observe(root);
}

/** Cancels the choice of a tile. */
export function pickNothing() {
  hand.pick(null);
}

/** Draws the table from what this browser knows. */
export function draw() {
  const { table } = known;
  root.dataset.phase = table.phase;
  root.toggleAttribute("data-in-play", !["OPEN", "CLOSED"].includes(table.phase));
  root.toggleAttribute("data-empty", !table.hand?.chain.length);
  drawSeats(table);
  drawTime(table);
  showStatus(statusOf(table));
  document.title = isMyTurn() ? `● ${title}` : title;
  root.toggleAttribute("data-my-turn", isMyTurn());
  if (hand === null) drawTheChain();
  else drawHand(table);
}

/** Says what the table waits for. What the own tiles show as well is left out of sight on small screens. */
function showStatus([text, more = ""]) {
  const place = find("status");
  if (place.textContent === [text, more].filter(Boolean).join(" ")) return;
  const rest = document.createElement("span");
  rest.className = "also-shown";
  rest.textContent = more && ` ${more}`;
  place.replaceChildren(text, rest);
}

function drawHand(table) {
  const plays = isMyTurn() && !isSent() ? table.hand.legalPlays : [];
  if (plays.length > 0) known.hint = "";
  hand.show(table.hand?.ownTiles ?? [], plays, known.hint || words.say("not_your_turn"));
  find("mine").hidden = !(table.hand?.ownTiles?.length > 0);
  find("why").textContent = known.hint;
  if (plays.length > 0 && document.activeElement === document.body) hand.focus();
}

function drawSeats(table) {
  for (const seat of table.seats) {
    const place = placeOf(seat.number);
    const count = table.hand?.counts?.[seat.number];
    place.toggleAttribute("data-turn", table.phase === "PLAYING" && table.hand?.toMove === seat.number);
    place.toggleAttribute("data-away", seat.awaySince !== null);
    place.querySelector("[data-count]").textContent = count === undefined ? "" : words.say(count === 1 ? "tile_left" : "tiles_left", { count });
  }
  for (const cell of document.querySelectorAll("[data-score]")) cell.textContent = table.score?.[cell.dataset.score] ?? cell.textContent;
}

function drawTime(table) {
  if (table.deadline === null || ["OPEN", "CLOSED"].includes(table.phase)) return clock.hide();
  const left = new Date(table.deadline.at) - new Date(known.event.now) - (performance.now() - known.heardAt);
  const isTurn = table.deadline.what === "TURN";
  clock.show(`${table.deadline.at} ${table.deadline.what}`, left, isTurn ? root.dataset.seconds * 1000 : left, isTurn);
}

/** The chain, with the ends on which the chosen tile can go. */
function drawTheChain(plays = []) {
  const chain = known.table?.hand?.chain ?? [];
  const tiles = chain.map((one) => words.tile(one.tile)).join(", ");
  const label = chain.length ? words.say("chain", { tiles }) : words.say("empty_chain");
  const [left, right] = known.table?.hand?.ends ?? ["", ""];
  const shows = { LEFT: left, RIGHT: right, FIRST: "" };
  const open = Object.fromEntries(plays.map((play) => [play.end ?? "FIRST", shows[play.end ?? "FIRST"]]));
  const place = document.querySelector("#felt .chain");
  drawChain(place, chain, { label, open, onEnd: (end) => playTile(plays.find((play) => (play.end ?? "FIRST") === end)) });
}

/** The buttons below the hand: where the chosen tile can be played. */
function drawEnds(plays) {
  const place = find("ends");
  const labels = plays.map(labelOf);
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

function labelOf(play) {
  if (play.end === null) return words.say("play", { tile: words.tile(play.tile) });
  const [left, right] = known.table?.hand?.ends ?? [];
  return play.end === "LEFT" ? words.say("play_left", { shows: left }) : words.say("play_right", { shows: right });
}
