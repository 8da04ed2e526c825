// What this browser knows of the table. Every module reads it; `table.js` writes what comes in.

export const known = {
  event: null, // the newest one
  table: null, // right after it
  heardAt: 0, // by the clock of the browser
  names: [], // by seat
  me: null, // the own seat
  hint: "", // why nothing can be played
  sent: null, // the turn for which a tile was sent
};

/** Takes what an event says of the table. */
export function take(event) {
  known.event = event;
  known.table = event.table;
  known.heardAt = performance.now();
  known.names = event.table.seats.map(nameOf);
  if (known.sent !== turnOf(event.table)) known.sent = null;
}

export function isMyTurn() {
  const { table, me } = known;
  return table?.phase === "PLAYING" && me !== null && table.hand?.toMove === me && (table.hand.legalPlays ?? []).length > 0;
}

/** Whether a tile was sent for the turn of which the browser knows: until its event comes, or a refusal. */
export const isSent = () => known.sent !== null && known.sent === turnOf(known.table);

/** Takes note that a tile is sent for this turn. */
export function noteSent() {
  known.sent = turnOf(known.table);
}

const turnOf = (table) => (table?.hand ? `${table.hand.number}:${table.hand.turn}` : null);

function nameOf(seat) {
  if (seat.player) return seat.player.displayName;
  return document.querySelector(`#seat-${seat.number} h2 bdi`)?.textContent ?? "";
}
