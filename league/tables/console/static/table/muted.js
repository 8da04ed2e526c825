// The players whom a person has muted at a table. This browser remembers them after a reload, and in all its tabs.
//
// The league remembers them too and sends none of their phrases, but it does not tell who they are.

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
      // A browser that stores nothing remembers them until the page is left.
    }
  }

  /** Forgets the muted players, because nobody speaks at a closed table. */
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
