// This browser's part in a shuffle: its random bytes, and the answer to the offer of a reshuffle.

import { known } from "./known.js";
import { send } from "./line.js";
import { act, address } from "./moves.js";
import { find, root } from "./page.js";
import { keep, randomBytes } from "./seeds.js";

const RESULT_SHOWN = 3000; // longest pause between two hands, in milliseconds
let contributed = null; // the seal of the last hand for which something was sent

/** Adds random bytes of this browser to the shuffle of a hand, once. After a hand it waits a little, so that everybody can
 *  read the result, because the next hand is dealt when everybody has contributed. */
export async function contribute({ now, table }) {
  const { me } = known;
  const dealing = table.hand;
  if (me === null || table.phase !== "SHUFFLING" || dealing === null) return;
  const isMine = table.seats[me].playedBy === "PLAYER" && dealing.contributions[me] === null;
  if (!isMine || contributed === dealing.commitment) return;
  contributed = dealing.commitment;
  const left = new Date(table.deadline?.at ?? now) - new Date(now);
  if (dealing.number > 1) await new Promise((resolve) => setTimeout(resolve, Math.min(RESULT_SHOWN, Math.max(0, left / 2))));
  const contribution = randomBytes();
  keep(root.dataset.id, dealing.number, dealing.commitment, contribution);
  const isStillWanted = () => known.table.hand?.commitment === dealing.commitment && known.table.phase === "SHUFFLING";
  // A refusal means that it came too late, or that another device of the player was faster.
  await send(address("contribute"), { hand: dealing.number, contribution }, { isStillWanted });
}

/** Shows the offer of a reshuffle while it is open. */
export function offer({ table }) {
  const { me } = known;
  const dialog = find("offer");
  const isOffered = me !== null && table.phase === "OFFERING" && table.hand.reshuffleOffers.includes(me) && table.seats[me].playedBy === "PLAYER";
  if (isOffered && !dialog.open) {
    dialog.returnValue = "";
    dialog.showModal();
  } else if (!isOffered && dialog.open) dialog.close("");
}

/** Sends the player's answer to the offer. Closing the dialog keeps the tiles. */
export function answerOffers() {
  find("offer").addEventListener("cancel", () => { find("offer").returnValue = "keep"; });
  find("offer").addEventListener("close", ({ target }) => {
    if (target.returnValue && known.table.hand) act(target.returnValue, { hand: known.table.hand.number });
  });
}
