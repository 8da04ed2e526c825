// Events in words: the log beside the table, and a speech bubble beside a seat.

import { find, placeOf } from "./page.js";

const LONGEST = 60; // lines
const BUBBLE_SHOWN = 4000; // milliseconds

/** Adds a line to the log. */
export function note(text, event = {}) {
  const line = document.createElement("p");
  line.dir = "auto";
  line.textContent = text;
  if (event.__typename === "PhraseSaid") line.className = "phrase";
  if (event.__typename === "HandEnded" || event.__typename === "TableClosed") line.className = "important";
  const log = find("log");
  log.append(line);
  while (log.children.length > LONGEST) log.firstChild.remove();
  log.scrollTop = log.scrollHeight;
}

/** Shows a speech bubble beside a seat for a moment. */
export function flash(seat, text) {
  const place = placeOf(seat);
  place.querySelector(".bubble")?.remove();
  const bubble = document.createElement("p");
  bubble.className = "bubble";
  bubble.setAttribute("aria-hidden", "true"); // the log has the same text
  bubble.textContent = text;
  place.append(bubble);
  setTimeout(() => bubble.remove(), BUBBLE_SHOWN);
}
