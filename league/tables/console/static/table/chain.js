// Lays tiles along a line that bends at the edges of the table, and draws them.
//
// The unit is half a tile. The tile that was played first lies in the middle; the chain grows from it to both sides. At the
// right edge it turns down and comes back, at the left edge it turns up. Doubles lie across the line.

const SVG = "http://www.w3.org/2000/svg";
const UNITS = [36, 32, 28, 24, 21, 18, 16, 14, 12, 10, 8, 6]; // pixels for half a tile, the largest that fits
const NARROWEST = 14; // units: in less a chain would bend with every tile
const PIPS = {
  0: [], 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]], 5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [0, -1], [1, -1], [-1, 1], [0, 1], [1, 1]],
  7: [[-1, -1], [0, -1], [1, -1], [0, 0], [-1, 1], [0, 1], [1, 1]],
  8: [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]],
  9: [[-1, -1], [0, -1], [1, -1], [-1, 0], [0, 0], [1, 0], [-1, 1], [0, 1], [1, 1]],
};

/** Half a chain, which grows outwards from a point, in lines between two edges. `vertical`: 1 if it bends down, -1 if up. */
class Arm {
  constructor(x, heading, vertical, width) {
    Object.assign(this, { x, y: 0, dx: heading, dy: 0, vertical, width });
  }

  /** Where the next tile lies: its middle, the direction of its outer half, and where the arm goes on. */
  next(isDouble) {
    const room = this.dx > 0 ? this.width - this.x : this.x;
    if (this.dy === 0) {
      // Leave room for a double and the corner after it.
      return room >= (isDouble ? 1 : 2) + (isDouble ? 1 : 2) ? this.straight(isDouble) : this.corner(0, this.vertical);
    }
    // One tile goes down or up. The next tile goes back along the line below or above.
    return isDouble ? this.straight(true) : this.corner(this.x > this.width / 2 ? -1 : 1, 0);
  }

  straight(isDouble) {
    const length = isDouble ? 1 : 2;
    const placed = { x: this.x + this.dx * length / 2, y: this.y + this.dy * length / 2, dx: this.dx, dy: this.dy, across: isDouble };
    this.x += this.dx * length;
    this.y += this.dy * length;
    return placed;
  }

  corner(dx, dy) {
    const inner = { x: this.x + this.dx / 2, y: this.y + this.dy / 2 };
    const placed = { x: inner.x + dx / 2, y: inner.y + dy / 2, dx, dy, across: false };
    Object.assign(this, { x: inner.x + 1.5 * dx, y: inner.y + 1.5 * dy, dx, dy });
    return placed;
  }

  copy() {
    return Object.assign(Object.create(Arm.prototype), this);
  }
}

/** The places of a chain's tiles on a table of some width, and of a tile that would be played on either end. */
export function layOut(chain, width) {
  if (chain.length === 0) return { placed: [], ends: {}, box: { left: 0, top: -1, right: width, bottom: 1 } };
  const first = chain.reduce((least, one, at) => (one.turn < chain[least].turn ? at : least), 0);
  const half = chain[first].double ? 0.5 : 1;
  const right = new Arm(width / 2 + half, 1, 1, width);
  const left = new Arm(width / 2 - half, -1, -1, width);
  const placed = new Array(chain.length);
  placed[first] = { ...chain[first], x: width / 2, y: 0, dx: 1, dy: 0, across: chain[first].double };
  for (let at = first + 1; at < chain.length; at++) placed[at] = { ...chain[at], ...right.next(chain[at].double) };
  for (let at = first - 1; at >= 0; at--) {
    const [outer, inner] = chain[at].tile; // the inner half is drawn first
    placed[at] = { ...chain[at], tile: [inner, outer], ...left.next(chain[at].double) };
  }
  const ends = { LEFT: left.copy().next(false), RIGHT: right.copy().next(false) };
  const box = { left: width / 2, top: 0, right: width / 2, bottom: 0 };
  for (const one of [...placed, ...Object.values(ends)]) {
    const isLying = (one.dx !== 0) !== one.across;
    const [w, h] = isLying ? [1, 0.5] : [0.5, 1];
    box.left = Math.min(box.left, one.x - w);
    box.right = Math.max(box.right, one.x + w);
    box.top = Math.min(box.top, one.y - h);
    box.bottom = Math.max(box.bottom, one.y + h);
  }
  return { placed, ends, box };
}

/** The largest unit at which a chain fits the given pixels, and the places of its tiles. */
function fitted(chain, pixelsWide, pixelsHigh) {
  for (const unit of UNITS.filter((one) => pixelsWide / one >= NARROWEST || one === UNITS.at(-1))) {
    const laid = layOut(chain, Math.max(Math.floor(pixelsWide / unit), NARROWEST));
    const isLast = unit === UNITS.at(-1);
    if (isLast || (laid.box.bottom - laid.box.top) * unit <= pixelsHigh) return { unit, ...laid };
  }
}

function element(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** A tile centred on (0, 0), with its first half at the left. Half a tile is one unit. */
function tileShape([first, second]) {
  const shape = element("g");
  shape.append(element("rect", { x: -0.96, y: -0.47, width: 1.92, height: 0.94, rx: 0.14, class: "tile-face" }));
  shape.append(element("path", { d: "M0 -.32v.64", class: "tile-bar" }));
  for (const [pips, middle] of [[first, -0.48], [second, 0.48]]) {
    for (const [column, row] of PIPS[pips]) shape.append(element("circle", { cx: middle + column * 0.25, cy: row * 0.25, r: 0.095 }));
  }
  return shape;
}

/** A picture of one upright tile. */
export function tilePicture(tile) {
  const svg = element("svg", { viewBox: "-.5 -1 1 2", class: "tile", "aria-hidden": "true", focusable: "false" });
  const shape = tileShape(tile);
  shape.setAttribute("transform", "rotate(90)");
  svg.append(shape);
  return svg;
}

const turned = ({ dx, dy, across }) => (dx > 0 ? 0 : dx < 0 ? 180 : dy > 0 ? 90 : 270) + (across ? 90 : 0);

/** Draws a chain into its place. `open`: the ends to show, each with its label. `onEnd` is called when one is tapped. */
export function drawChain(place, chain, { label = "", open = {}, onEnd = null } = {}) {
  const isKnown = new Set([...place.querySelectorAll("[data-turn]")].map((one) => one.dataset.turn));
  const wide = place.clientWidth || 320, high = place.clientHeight || 240;
  const { unit, placed, ends, box } = fitted(chain, wide, high);
  const width = wide / unit, height = Math.max(high / unit, box.bottom - box.top);
  const x = (box.left + box.right - width) / 2, y = (box.top + box.bottom - height) / 2;
  const svg = element("svg", { viewBox: `${x} ${y} ${width} ${height}`, width: wide, height: height * unit, role: "img", "aria-label": label });
  for (const one of placed) {
    const group = element("g", { transform: `translate(${one.x} ${one.y}) rotate(${turned(one)})`, "data-turn": one.turn });
    if (isKnown.size > 0 && !isKnown.has(String(one.turn))) group.classList.add("new");
    group.append(tileShape(one.tile));
    svg.append(group);
  }
  for (const [end, shows] of Object.entries(open)) {
    const at = ends[end] ?? { x: (box.left + box.right) / 2, y: 0, dx: 1, dy: 0, across: false };
    const group = element("g", { transform: `translate(${at.x} ${at.y})`, class: "end", "data-end": end });
    const across = at.dx === 0;
    const [w, h] = across ? [1, 2] : [2, 1];
    group.append(element("rect", { x: -w / 2 + 0.04, y: -h / 2 + 0.04, width: w - 0.08, height: h - 0.08, rx: 0.16 }));
    const text = element("text", { "text-anchor": "middle", "dominant-baseline": "central", "font-size": 0.7 });
    text.textContent = shows;
    group.append(text);
    group.addEventListener("click", () => onEnd?.(end));
    svg.append(group);
  }
  place.replaceChildren(svg);
}
