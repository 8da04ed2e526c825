// The parts of the page that the server renders, such as seats and results. They are loaded again when an event changes them.

import { draw } from "./drawing.js";
import { known } from "./known.js";
import { find } from "./page.js";
import { showMuted } from "./talk.js";

const PARTS = ["head", "result", "finished", "leaving", "talk"];
const EVENTS = new Set([
  "SeatTaken", "SeatLeft", "SeatReady", "PlayBegan", "HandDealt", "HandEnded", "HandDropped", "SeatHandedOver", "SeatBack", "TableClosed",
]);

const LATER = 1_000;
/** Limit on reloads, a second apart, while the match of a closed table is not on the read side yet. */
const TIMES = 30;

/** Whether an event changes the parts that the server renders. */
export const changesThePage = (event) => EVENTS.has(event.__typename);

export async function refresh(times = TIMES) {
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const seats = known.table.seats.map((seat) => `seat-${seat.number}`);
    for (const name of [...PARTS, ...seats]) morph(find(name), page.getElementById(name));
    showMuted();
    draw();
    if ("late" in find("result").dataset && times > 0) setTimeout(refresh, LATER, times - 1);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // without a connection, the next event loads them
  }
}

function morph(here, there) {
  if (here === null || there === null) return;
  // Do not replace an element that somebody is using.
  if (here.matches(":focus-within") && here.id !== "leaving" && !here.id.startsWith("seat")) return;
  if (here.querySelector("details[open]")) there.querySelector("details")?.setAttribute("open", "");
  window.Idiomorph.morph(here, there, { morphStyle: "outerHTML", ignoreActiveValue: true });
}
