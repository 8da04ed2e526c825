// The phrases that players say to each other, and the players whom this player has muted.

import { act } from "./moves.js";
import { Muted } from "./muted.js";
import { root, words } from "./page.js";

const muted = new Muted(root.dataset.id, root.dataset.player, showMuted);

/** Activates the buttons that say phrases and mute players. */
export function startTalking() {
  root.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.phrase) act("say", { phrase: button.dataset.phrase });
    else if (button?.dataset.mute) mute(button.dataset.mute);
  });
  showMuted();
}

/** Shows on the buttons who is muted. */
export function showMuted() {
  for (const button of document.querySelectorAll("[data-mute]")) {
    const isMuted = muted.has(button.dataset.mute);
    button.setAttribute("aria-pressed", String(isMuted));
    button.textContent = words.say(isMuted ? "muted" : "mute", { name: button.dataset.name });
  }
}

/** Forgets the mutes, because nobody speaks at a closed table. */
export function endTalk() {
  muted.forget();
}

async function mute(player) {
  if ((await act(muted.has(player) ? "unmute" : "mute", { player })) !== null) return;
  muted.toggle(player);
  showMuted();
}
