// The player's moves. Each is sent until the league has answered, and the page shows a refusal.

import { draw, pickNothing } from "./drawing.js";
import { isMyTurn, isSent, known, noteSent } from "./known.js";
import { send } from "./line.js";
import { complain, root, words } from "./page.js";

/** The address to which a move is sent. */
export const address = (move) => root.dataset.moves + move;

/** Sends a move. Returns null, or the refusal. */
export async function act(move, values = {}, more = {}) {
  const refusal = await send(address(move), values, more);
  complain(refusal?.message ?? "");
  return refusal;
}

/** Plays a tile, unless it is not the player's turn or another tile is on its way. */
export async function playTile(play) {
  if (play === undefined || isSent() || !isMyTurn()) return;
  const { number, turn } = known.table.hand;
  noteSent();
  pickNothing();
  draw();
  const isStillWanted = () => known.table.hand?.number === number && known.table.hand.turn === turn;
  const slow = () => complain(words.say("sending"));
  const refusal = await act("play", { hand: number, turn, tile: play.tile.join("-"), ...(play.end && { end: play.end }) }, { slow, isStillWanted });
  if (refusal === null) return; // the event of the move draws it
  known.sent = null;
  draw();
}

/** Sends the plain forms of moves, such as those of seats. */
export function sendForms() {
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
}
