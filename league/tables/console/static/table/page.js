// The page of a table: its elements, and the sentences that it was sent with.

import { Words } from "./words.js";

export const root = document.getElementById("live-table");
export const words = new Words(JSON.parse(root.dataset.sentences));
export const find = (name) => document.getElementById(name);
export const placeOf = (seat) => find(`seat-${seat}`);

/** Says why something was refused; an empty text takes the last refusal away. */
export function complain(text) {
  const place = find("refusal");
  place.hidden = text === "";
  place.textContent = text;
}
