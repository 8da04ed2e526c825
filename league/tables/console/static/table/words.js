// Sentences in the page's language. The page has the templates, and events of the table fill them in.

export class Words {
  constructor(sentences) {
    this.sentences = sentences;
    this.language = document.documentElement.lang;
  }

  /** A template with its values filled in. A sentence that ends with a name such as `Luis M.` gets one full stop only. */
  say(name, values = {}) {
    const said = this.sentences[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
    return said.replace(/([^\s.])\.\.(?=\s|$)/g, "$1.");
  }

  /** A sentence about a seat. For the visitor's own seat it uses the variant with "you", if there is one. */
  of(name, isOwn, values) {
    return this.say(isOwn && `${name}_you` in this.sentences ? `${name}_you` : name, values);
  }

  list(parts) {
    if (parts.length < 2) return parts.join("");
    return this.say("and", { some: parts.slice(0, -1).join(", "), last: parts.at(-1) });
  }

  tile(tile) {
    return tile.join("-");
  }

  tiles(tiles) {
    return this.list(tiles.map((tile) => this.tile(tile)));
  }

  ends([left, right]) {
    return left === right ? String(left) : this.say("both_ends", { left, right });
  }
}

/** The sentence for an event, or null if the event needs none. `seats`: the names, by seat; `me`: the visitor's seat. */
export function commentary(words, event, names, me) {
  const seat = event.seat;
  const isOwn = seat !== undefined && seat === me;
  const values = { name: names[seat] };
  const { table } = event;
  const says = (name, more = {}) => words.of(name, isOwn, { ...values, ...more });
  switch (event.__typename) {
    case "SeatTaken": return says("sat");
    case "SeatLeft": return says("stood");
    case "SeatReady": return says("ready");
    case "PlayBegan": return says("began");
    case "ShuffleCommitted": return says("shuffling");
    case "StartingDrawn":
      return says("drawn", { tiles: words.list(event.tiles.map((tile, at) => `${names[at]} ${words.tile(tile)}`)) });
    case "HandDealt": return words.of("dealt", event.starter === me, { hand: event.hand, name: names[event.starter] });
    case "ReshuffleOffered": return says("offered");
    case "ReshuffleAccepted": return says("accepted");
    case "ReshuffleDeclined": return says("declined");
    case "TilePlayed": {
      const tile = words.tile(event.tile);
      if (event.by === "CLOCK") return says("clock_played", { tile });
      return says(event.end === null ? "first" : event.end === "LEFT" ? "left" : "right", { tile });
    }
    case "TileDrawn": return says("drew", { tile: event.ownTile ? words.tile(event.ownTile) : "" });
    case "TurnPassed": {
      if (event.timedOut) return says("late");
      return says("passed", { ends: table.hand?.ends ? words.ends(table.hand.ends) : "" });
    }
    case "HandEnded": {
      const { winner, points, facts } = event.finished;
      if (winner === null) return says("hand_none", { hand: event.hand });
      const won = table.seats.filter((one) => one.side === winner).map((one) => names[one.number]);
      const name = facts.endedBy === "BLOCK" ? "hand_block" : "hand_over";
      return says(name, { hand: event.hand, name: words.list(won), points: points[winner] });
    }
    case "HandDropped": return says("dropped");
    case "SeatAway": return says("away");
    case "SeatBack": return says("back");
    case "SeatHandedOver": return says("handed");
    case "ClockStood": return says("clock_stood");
    case "TableClosed": return says(`closed_${event.closed}`);
    case "PhraseSaid": return says("said", { phrase: event.phrase[words.language] ?? event.phrase.es });
    default: return null;
  }
}
