// The page of a table: its elements, and the sentences that the server put into it.

import { Words } from "./words.js";

export const root = document.getElementById("live-table");
export const words = new Words(JSON.parse(root.dataset.sentences));
export const find = (name) => document.getElementById(name);
export const placeOf = (seat) => find(`seat-${seat}`);

/** Shows why something was refused. An empty text removes the last refusal. */
export function complain(text) {
  const place = find("refusal");
  place.hidden = text === "";
  place.textContent = text;
}
