// The player's tiles. A tap or the arrow keys choose a tile; a tap on an end, dragging, Enter, L or R plays it.

import { tilePicture } from "./chain.js";

const FAR = 8; // pixels after which a press becomes a drag
const IN_ROW = 10; // tiles in one row on a phone; more take two rows
const KEYS = { l: "LEFT", i: "LEFT", r: "RIGHT", d: "RIGHT" }; // left and right, izquierda y derecha
const keyOf = (tile) => [...tile].sort((a, b) => a - b).join("-");

export class Hand {
  /** `choose(plays)` gets the plays of the chosen tile; `play(play)` makes a play; `complain(text)` says why it is refused. */
  constructor(place, words, { choose, play, complain, felt }) {
    Object.assign(this, { place, words, choose, play, complain, felt, tiles: [], plays: [], chosen: null, hint: "" });
    place.replaceChildren();
    place.addEventListener("keydown", (event) => this.press(event));
    place.addEventListener("click", (event) => this.tap(event));
    place.addEventListener("pointerdown", (event) => this.grab(event));
  }

  /** Shows the tiles, and which of them can be played. `hint`: why no tile can be played now. */
  show(tiles, plays, hint) {
    this.plays = plays;
    this.hint = hint;
    const wanted = tiles.map(keyOf);
    const had = document.activeElement?.closest?.("#hand") ? document.activeElement.dataset.tile : null;
    const known = new Map([...this.place.children].map((button) => [button.dataset.tile, button]));
    const buttons = tiles.map((tile) => known.get(keyOf(tile)) ?? this.button(tile));
    const same = buttons.length === this.place.children.length && buttons.every((button, at) => this.place.children[at] === button);
    this.place.style.setProperty("--tiles", Math.max(buttons.length, 7));
    this.place.style.setProperty("--in-row", Math.max(buttons.length > IN_ROW ? Math.ceil(buttons.length / 2) : buttons.length, 7));
    if (!same) this.place.replaceChildren(...buttons);
    if (this.chosen !== null && !wanted.includes(this.chosen)) this.pick(null);
    for (const [at, button] of buttons.entries()) {
      const fits = this.playsOf(button.dataset.tile).length > 0;
      button.classList.toggle("fits", fits);
      button.setAttribute("aria-disabled", String(!fits));
      const name = this.words.tile(tiles[at]);
      button.setAttribute("aria-label", plays.length ? this.words.say(fits ? "tile_fits" : "tile_fits_not", { tile: name }) : name);
      button.tabIndex = -1;
    }
    const first = buttons.find((button) => button.dataset.tile === (had ?? this.chosen)) ?? buttons.find((button) => button.classList.contains("fits")) ?? buttons[0];
    if (first) first.tabIndex = 0;
    if (had !== null && document.activeElement?.dataset.tile !== had) first?.focus({ preventScroll: true });
    this.mark();
  }

  button(tile) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "own-tile";
    button.dataset.tile = keyOf(tile);
    button.append(tilePicture(tile));
    return button;
  }

  playsOf(key) {
    return this.plays.filter((play) => keyOf(play.tile) === key);
  }

  pick(key) {
    this.chosen = key;
    this.mark();
  }

  mark() {
    for (const button of this.place.children) button.setAttribute("aria-pressed", String(button.dataset.tile === this.chosen));
    this.choose(this.chosen === null ? [] : this.playsOf(this.chosen));
  }

  focus() {
    [...this.place.children].find((button) => button.tabIndex === 0)?.focus({ preventScroll: true });
  }

  tap(event) {
    const button = event.target.closest("button");
    if (button === null || this.wasDragged) return;
    const key = button.dataset.tile;
    if (this.chosen === key && event.detail !== 0) return this.playOnly(key); // a second tap
    this.pick(key);
    this.explain(key);
  }

  /** Says why a tile cannot be played, unless it can. */
  explain(key) {
    if (this.playsOf(key).length > 0) return this.complain("");
    this.complain(this.plays.length === 0 ? this.hint : this.words.say("does_not_fit", { tile: key }));
  }

  /** Plays a tile that fits on one end only; otherwise asks for the end. */
  playOnly(key) {
    const plays = this.playsOf(key);
    if (plays.length === 1) this.play(plays[0]);
    else if (plays.length > 1) this.complain(this.words.say("choose_end"));
    else this.explain(key);
  }

  press(event) {
    const button = event.target.closest("button");
    if (button === null || event.ctrlKey || event.altKey || event.metaKey) return;
    const buttons = [...this.place.children];
    const at = buttons.indexOf(button);
    const moves = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 };
    const end = KEYS[event.key.toLowerCase()];
    if (event.key in moves) {
      const next = buttons[(moves[event.key] + buttons.length) % buttons.length];
      for (const one of buttons) one.tabIndex = one === next ? 0 : -1;
      next.focus();
      this.pick(next.dataset.tile);
    } else if (event.key === "Enter" || event.key === " ") {
      this.pick(button.dataset.tile);
      this.playOnly(button.dataset.tile);
    } else if (event.key === "Escape") {
      this.pick(null);
    } else if (end !== undefined) {
      this.pick(button.dataset.tile);
      const play = this.playsOf(button.dataset.tile).find((one) => one.end === end);
      if (play) this.play(play);
      else this.explain(button.dataset.tile);
    } else return;
    event.preventDefault();
  }

  /** Follows a finger or the mouse that drags a tile, until it is released. */
  grab(event) {
    const button = event.target.closest("button");
    this.wasDragged = false;
    if (button === null || event.button !== 0) return;
    const plays = this.playsOf(button.dataset.tile);
    let ghost = null;
    button.setPointerCapture(event.pointerId);
    const follow = (move) => {
      const x = move.clientX - event.clientX, y = move.clientY - event.clientY;
      if (ghost === null) {
        if (Math.hypot(x, y) < FAR || plays.length === 0) return;
        this.pick(button.dataset.tile);
        this.wasDragged = true;
        ghost = button.querySelector("svg").cloneNode(true);
        ghost.classList.add("ghost");
        document.body.append(ghost);
      }
      ghost.style.left = `${move.clientX}px`;
      ghost.style.top = `${move.clientY}px`;
    };
    const drop = (up) => {
      button.removeEventListener("pointermove", follow);
      button.removeEventListener("pointerup", drop);
      button.removeEventListener("pointercancel", drop);
      if (ghost === null) return;
      ghost.remove();
      setTimeout(() => { this.wasDragged = false; });
      const play = up.type === "pointerup" ? this.droppedAt(up.clientX, up.clientY, plays) : undefined;
      if (play !== undefined) this.play(play);
    };
    button.addEventListener("pointermove", follow);
    button.addEventListener("pointerup", drop);
    button.addEventListener("pointercancel", drop);
  }

  /** The play that a drop means: the only play, wherever on the felt it is dropped; otherwise the play on the nearer end. */
  droppedAt(x, y, plays) {
    const felt = this.felt.getBoundingClientRect();
    if (x < felt.left || x > felt.right || y < felt.top || y > felt.bottom) return undefined;
    if (plays.length < 2) return plays[0];
    const away = (play) => {
      const end = this.felt.querySelector(`[data-end="${play.end}"]`).getBoundingClientRect();
      return Math.hypot(x - end.left - end.width / 2, y - end.top - end.height / 2);
    };
    return plays.reduce((near, play) => (away(play) < away(near) ? play : near));
  }
}
