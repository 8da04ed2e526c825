// The page of a finished hand: the chain at each turn, steps by the arrow keys, and the check of the deal.

import { drawChain } from "./chain.js";
import { checkDeal } from "./deal_check.js";
import { keptOf } from "./seeds.js";
import { Words } from "./words.js";

const HURT = new Set(["deal_seal", "deal_tiles", "deal_seen"]); // if one of these fails, the deal was not fair

function draw() {
  const place = document.querySelector("#review .chain");
  const words = new Words(JSON.parse(document.getElementById("review").dataset.sentences));
  const chain = JSON.parse(place.dataset.chain);
  const tiles = chain.map((one) => words.tile(one.tile)).join(", ");
  drawChain(place, chain, { label: chain.length ? words.say("chain", { tiles }) : words.say("empty_chain") });
}

/** Goes to another turn without leaving the page. */
async function step(link) {
  const name = link.dataset.step;
  const response = await fetch(link.href);
  if (!response.ok) return location.assign(link.href);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const part of ["#review", ".turns"]) document.querySelector(part).replaceWith(page.querySelector(part));
  history.replaceState(null, "", link.href);
  draw();
  if (name) (document.querySelector(`[data-step="${name}"]`) ?? document.querySelector("[data-step]"))?.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step], .turns a");
  if (link === null || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  step(link);
});
document.addEventListener("keydown", (event) => {
  const name = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" }[event.key];
  const link = name && document.querySelector(`a[data-step="${name}"]`);
  if (!link || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  step(link);
});
window.addEventListener("resize", draw);
draw();

const deal = document.getElementById("deal");
const words = new Words(JSON.parse(deal.dataset.sentences));
const verdict = deal.querySelector("[data-verdict]");
const [check, save] = [deal.querySelector("[data-check]"), deal.querySelector("[data-save]")];

function report(findings) {
  const isFair = !findings.some(([name, holds]) => holds === false && HURT.has(name));
  const line = document.createElement("p");
  line.className = isFair ? "good" : "error notice";
  line.textContent = words.say(isFair ? "deal_fair" : "deal_wrong");
  const list = document.createElement("ul");
  list.className = "findings";
  for (const [name, holds] of findings) {
    const item = document.createElement("li");
    item.className = holds === null ? "quiet" : holds ? "up" : "down";
    item.textContent = `${holds === null ? "·" : holds ? "✓" : "✗"} ${words.say(holds === false ? `${name}_wrong` : name)}`;
    list.append(item);
  }
  verdict.replaceChildren(line, list);
}

check.hidden = save.hidden = false;
check.addEventListener("click", async () => {
  if (!globalThis.crypto?.subtle) {
    verdict.textContent = words.say("deal_insecure");
    return;
  }
  const seat = deal.dataset.seat === "" ? null : Number(deal.dataset.seat);
  report(await checkDeal(JSON.parse(deal.dataset.proof), keptOf(deal.dataset.table, deal.dataset.hand), seat));
});
save.addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([deal.dataset.proof], { type: "application/json" }));
  link.download = `deal-${deal.dataset.table}-${deal.dataset.hand}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
});
