// What this browser knows about the table. Every module reads it; `table.js` writes it when events arrive.

import { root, words } from "./page.js";

export const known = {
  event: null, // the newest event
  table: null, // the table right after this event
  heardAt: 0, // when the event arrived, by the clock of the browser
  names: [], // the names of the players, by seat
  me: root.dataset.seat === "" ? null : Number(root.dataset.seat), // the visitor's seat, for which the server made the page
  hint: "", // why no tile can be played now
  sent: null, // the turn for which a tile was sent
};

/** Stores what an event says about the table. */
export function take(event) {
  known.event = event;
  known.table = event.table;
  known.heardAt = performance.now();
  known.names = namesOf(event.table.seats);
  if (known.sent !== turnOf(event.table)) known.sent = null;
}

export function isMyTurn() {
  const { table, me } = known;
  return table?.phase === "PLAYING" && me !== null && table.hand?.toMove === me && (table.hand.legalPlays ?? []).length > 0;
}

/** Whether a tile was sent for the current turn and neither its event nor a refusal has come yet. */
export const isSent = () => known.sent !== null && known.sent === turnOf(known.table);

/** Notes that a tile is being sent for the current turn. */
export function noteSent() {
  known.sent = turnOf(known.table);
}

const turnOf = (table) => (table?.hand ? `${table.hand.number}:${table.hand.turn}` : null);

/** The name of the player or AI on each seat, as `names_of` of the page gives it. */
function namesOf(seats) {
  const ais = seats.filter((seat) => !seat.player && seat.aiLevel).map((seat) => seat.number);
  return seats.map((seat) => {
    if (seat.player) return seat.player.displayName;
    if (!seat.aiLevel) return document.querySelector(`#seat-${seat.number} h2 bdi`)?.textContent ?? words.say("free");
    const level = words.say(`level_${seat.aiLevel}`);
    return ais.length === 1 ? words.say("ai", { level }) : words.say("ai_numbered", { level, number: ais.indexOf(seat.number) + 1 });
  });
}
