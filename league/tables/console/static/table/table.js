// The page of a live table: follows its events, draws what is new, and sends the player's moves.
//
// `known.js` has what the browser knows about the table. `drawing.js` draws it, and `refresh.js` loads the parts that the server
// renders. `log.js` and `talk.js` show texts. `moves.js`, `shuffle.js` and `leaving.js` send what the player does.

import { draw, prepare } from "./drawing.js";
import { known, take } from "./known.js";
import { askBeforeLeaving } from "./leaving.js";
import { follow } from "./line.js";
import { flash, note } from "./log.js";
import { playTile, sendForms } from "./moves.js";
import { complain, find, root, words } from "./page.js";
import { changesThePage, refresh } from "./refresh.js";
import { answerOffers, contribute, offer } from "./shuffle.js";
import { endTalk, startTalking } from "./talk.js";
import { commentary } from "./words.js";

let drawing = null;

function hear(event) {
  const isFirst = known.event === null;
  take(event);
  const { table } = event;
  if (table.viewerSeat !== known.me) return changeSeat(table);
  say(event);
  if (event.__typename === "TableClosed") endTalk();
  contribute(event);
  offer(event);
  if (isFirst || changesThePage(event)) refresh();
  // Several events may come at once; only the last one is drawn.
  drawing ??= setTimeout(() => {
    drawing = null;
    draw();
  });
}

function say(event) {
  const said = commentary(words, event, known.names, known.me);
  const isMine = event.seat === known.me;
  if (said !== null) note(said, event);
  if (event.__typename === "TurnPassed" && isMine) known.hint = said;
  else if (event.__typename === "TilePlayed" && isMine) known.hint = "";
  if (["TurnPassed", "TileDrawn", "PhraseSaid"].includes(event.__typename)) flash(event.seat, said);
}

/** Loads the page again, because the visitor sat down or stood up, so that the seats turn, or because the session ended. */
function changeSeat(table) {
  if (table.viewerSeat === null && table.phase !== "OPEN" && table.phase !== "CLOSED") {
    complain(words.say("signed_out"));
    find("mine").hidden = true;
    return;
  }
  location.reload();
}

prepare({ play: playTile });
sendForms();
answerOffers();
askBeforeLeaving();
startTalking();
follow(root.dataset.stream, {
  hear,
  tell: (isThere) => { find("line").hidden = isThere; },
  refuse: (refusal) => complain(refusal.message),
  over: () => { find("line").hidden = true; },
});
