// Repeats the shuffle from the published secret, as docs/verify-deal.md describes, and compares the results.

const HIGHEST = { "double-six": 6, "double-nine": 9 };
const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
const hexOf = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = (bytes) => crypto.subtle.digest("SHA-256", bytes);

/** All tiles in the order of an attempt. */
async function shuffled(proof, attempt) {
  const key = await crypto.subtle.importKey("raw", bytesOf(proof.secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const said = new TextEncoder().encode(`${proof.table}\n${proof.hand}\n${attempt}\n`);
  const added = proof.contributions.flatMap((one) => [...bytesOf(one)]);
  const seed = new Uint8Array(await crypto.subtle.sign("HMAC", key, Uint8Array.from([...said, ...added])));
  const numbers = [];
  let counter = 0;
  const below = async (limit) => {
    const whole = 2 ** 32 - (2 ** 32 % limit); // numbers from here on would make some results likelier
    for (;;) {
      if (numbers.length === 0) {
        const block = new Uint8Array(40);
        block.set(seed);
        new DataView(block.buffer).setBigUint64(32, BigInt(counter++));
        const view = new DataView(await sha256(block));
        for (let at = 0; at < 32; at += 4) numbers.push(view.getUint32(at));
      }
      const number = numbers.shift();
      if (number < whole) return number % limit;
    }
  };
  const tiles = [];
  for (let a = 0; a <= HIGHEST[proof.set]; a++) for (let b = a; b <= HIGHEST[proof.set]; b++) tiles.push([a, b]);
  for (let last = tiles.length - 1; last > 0; last--) {
    const other = await below(last + 1);
    [tiles[last], tiles[other]] = [tiles[other], tiles[last]];
  }
  return tiles;
}

const inOrder = (tiles) => [...tiles].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Whether every draw and every deal of a proof follows from its secret. */
async function tilesFollow(proof) {
  const draws = proof.starting_draws, seats = proof.contributions.length, each = proof.tiles_each;
  for (const [number, draw] of draws.entries()) {
    const order = await shuffled(proof, number);
    if (draw.attempt !== number || !same(draw.tiles, order.slice(0, seats))) return false;
  }
  for (const [number, deal] of proof.deals.entries()) {
    const order = await shuffled(proof, draws.length + number);
    const dealt = proof.contributions.map((_, seat) => inOrder(order.slice(seat * each, (seat + 1) * each)));
    if (deal.attempt !== draws.length + number || !same(deal.dealt, dealt) || !same(deal.rest, order.slice(seats * each))) return false;
  }
  return proof.deals.length > 0;
}

/** All checks of a hand: the name of each, and whether it holds, or null if there is nothing to compare with.
 *  `kept`: what this browser stored about the hand; `seat`: the seat of its player. */
export async function checkDeal(proof, kept, seat) {
  const seal = hexOf(await sha256(bytesOf(proof.secret)));
  const findings = [["deal_seal", seal === proof.commitment], ["deal_tiles", await tilesFollow(proof)]];
  if (kept === null || seat === null) return [...findings, ["deal_watched", null]];
  findings.push(["deal_seen", kept.commitments.includes(proof.commitment)]);
  findings.push(["deal_own", kept.contributions.includes(proof.contributions[seat])]);
  return findings;
}
