// Whom a person does not hear at a table, as this browser remembers it: after a reload, and in all its tabs.
//
// The league remembers it as well, and sends nothing of whom one has muted; it does not say who they are.

export class Muted {
  #name;
  #players = new Set();

  /** `changed` is called when another tab has muted or unmuted somebody. */
  constructor(table, person, changed) {
    this.#name = `muted:${table}:${person}`;
    this.#read();
    window.addEventListener("storage", (event) => {
      if (event.key !== this.#name) return;
      this.#read();
      changed();
    });
  }

  has(player) {
    return this.#players.has(player);
  }

  toggle(player) {
    if (!this.#players.delete(player)) this.#players.add(player);
    try {
      if (this.#players.size === 0) localStorage.removeItem(this.#name);
      else localStorage.setItem(this.#name, JSON.stringify([...this.#players]));
    } catch {
      // A browser that keeps nothing knows it until the page is left.
    }
  }

  /** Nobody speaks any more at a table that is closed. */
  forget() {
    for (const player of [...this.#players]) this.toggle(player);
  }

  #read() {
    try {
      this.#players = new Set(JSON.parse(localStorage.getItem(this.#name) ?? "[]"));
    } catch {
      this.#players = new Set();
    }
  }
}
