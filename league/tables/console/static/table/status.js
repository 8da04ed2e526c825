// The sentence in the middle of the table: what it waits for, and what the player can do.

import { isMyTurn, known } from "./known.js";
import { find, words } from "./page.js";

/** The sentence, and perhaps a second one about what the own tiles show, too. */
export function statusOf(table) {
  const { hand } = table;
  if (table.phase !== "PLAYING" || hand === null || !isMyTurn() || hand.ends === null) return [sentenceOf(table)];
  return [words.say("your_turn", { ends: words.ends(hand.ends) }), words.say("you_can", { tiles: playable(hand) })];
}

function sentenceOf(table) {
  const playing = table.hand;
  if (table.phase === "CLOSED") return words.say(`closed_${table.closed}`);
  if (table.phase === "SHUFFLING") return words.say("shuffling");
  if (table.phase === "OFFERING") return words.say("offer_waits");
  if (table.phase === "PAUSED") {
    const away = table.seats.filter((seat) => seat.awaySince !== null).map((seat) => known.names[seat.number]);
    return words.say("paused", { name: words.list(away) });
  }
  if (table.phase !== "PLAYING" || playing === null) return find("status").textContent;
  if (!isMyTurn()) return words.say("waits_for", { name: known.names[playing.toMove] });
  const tiles = playable(playing);
  return playing.legalPlays.length < playing.ownTiles.length ? words.say("you_start_with", { tiles }) : words.say("your_turn_first");
}

/** The tiles that can be played, in words. */
function playable(hand) {
  return words.list([...new Set(hand.legalPlays.map((play) => words.tile([...play.tile].sort((a, b) => a - b))))]);
}
