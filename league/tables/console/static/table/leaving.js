// Leaving the table. The page asks for confirmation first.

import { act } from "./moves.js";
import { find, root } from "./page.js";

/** Activates the button that leaves the table. */
export function askBeforeLeaving() {
  root.addEventListener("click", (event) => {
    const name = event.target.closest("button")?.dataset.opens;
    if (!name) return;
    find(name).returnValue = "";
    find(name).showModal();
  });
  find("leave").addEventListener("close", async ({ target }) => {
    if (target.returnValue !== "leave") return;
    if ((await act("leave")) === null) location.assign(document.querySelector("#leaving a").href);
  });
}
