// Checks a round on this device: its seed, the bytes of all devices, and the bytes that this device gave.

import { fits, givenFor, isLate, isUsed, seedOf } from "./draw_secrets.js";

async function check() {
  const card = document.getElementById("round-check");
  if (card === null || !card.dataset.round) return;
  const { checker } = card.dataset, round = JSON.parse(card.dataset.round);
  const promised = new Map(round.commitments.map((one) => [one.competitorId, one]));
  const found = { seed: (await seedOf(card.dataset.tournament, round, checker)) === round.seed };
  found.bytes = (await Promise.all(round.contributions.map((one) =>
    promised.has(one.competitorId) && fits(one.bytes, promised.get(one.competitorId).commitment, checker)))).every(Boolean);
  found.before = round.commitments.every((one) => BigInt(one.position) < BigInt(round.position));
  const own = givenFor(card.dataset.tournament, round).filter((one) => !isLate(one, round));
  if (own.length > 0) found.own = own.every((one) => isUsed(one, round));
  for (const line of card.querySelectorAll("[data-check]")) {
    const holds = found[line.dataset.check];
    line.hidden = holds === undefined;
    line.dataset.holds = holds;
    line.querySelector("[data-mark]").textContent = holds ? "✓" : "✗";
  }
  card.querySelector("[data-checks]").hidden = false;
}

check();
document.addEventListener("league:refreshed", check);
