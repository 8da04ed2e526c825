// The form of a hand: shows only the controls that still matter, has large keys for pips, and tells when somebody else
// recorded the hand first.

const form = () => document.querySelector(".hand-form");
const chosen = (name) => form().querySelector(`[name="${name}"]:checked`)?.value ?? "";
// What stands in a closed part has a parent of its offset too, but takes no focus.
const isShown = (part) => part.offsetParent !== null && part.closest("details:not([open])") === null;

function show(part, isNeeded) {
  part.hidden = !isNeeded;
  // A hidden control is not sent. When it is shown again it still has what was typed.
  for (const control of part.querySelectorAll("input")) control.disabled = !isNeeded;
}

const isEmpty = (part) => [...part.querySelectorAll("input")].every((control) => control.value === "");

let wantedSeats = false; // as it was when the controls were last arranged

function arrange() {
  if (form() === null) return;
  const ending = chosen("facts.ended.by");
  const who = chosen("facts.ended.seat");
  const isDomino = ending === "DOMINO";
  for (const part of form().querySelectorAll(".of-domino")) show(part, ending !== "BLOCK");
  // What the sheet says matters only if nobody knows who went out, or if the pips of a block do not tell who won.
  const isUnknown = form().querySelector('[name="facts.ended.seat"][value=""]:checked') !== null;
  const isOpen = form().querySelector("#score [data-winner-unknown], #score > .notice") !== null;
  for (const part of form().querySelectorAll(".stated")) {
    const isSaid = (part.querySelector("input:checked")?.value ?? "") !== "";
    show(part, isUnknown || isSaid || (!isDomino && isOpen));
  }
  // In a block the rules compare players; where nobody knows who locked, the total of a side is all there is.
  const wantsSeats = !isDomino && who !== "";
  for (const part of form().querySelectorAll(".side-pips")) {
    const isTheirs = who !== "" && part.dataset.seats.split(" ").includes(who);
    const onlyLosers = part.closest("[data-only-losers]") !== null;
    // Who went out has nothing left. Pips of the winners stay if somebody has typed them.
    const isNeedless = onlyLosers || part.dataset.seats === who;
    show(part, !(isNeedless && isEmpty(part) && isDomino && isTheirs));
    const apart = part.querySelector("details");
    if (apart === null || part.hidden) continue;
    if (wantsSeats !== wantedSeats && apart.hasAttribute("data-open-for-block")) apart.open = wantsSeats || !isEmpty(apart);
    divide(part);
    for (const seat of apart.querySelectorAll("[data-seat]")) {
      show(seat, !(isEmpty(seat) && isDomino && seat.dataset.seat === who)); // who went out has nothing left
    }
  }
  wantedSeats = wantsSeats;
  if (hasKeys) for (const control of form().querySelectorAll("[data-number]")) control.inputMode = "none";
}

/** The pips of a side are typed either together or for each player. */
function divide(part) {
  const together = part.querySelector(".together");
  if (together) show(together, !part.querySelector("details").open || !isEmpty(together));
}

document.addEventListener("toggle", (event) => {
  const part = event.target.closest?.(".side-pips");
  if (part && !part.hidden) divide(part);
}, true);

// ------------------------------------------------------------ large keys

const hasKeys = matchMedia("(pointer: coarse)").matches;
const keys = () => form().querySelector(".keypad");
const numbers = () => [...form().querySelectorAll("[data-number]:enabled")].filter(isShown);
let isFirstKey = true; // the first key replaces what stood there
let isPointed = false; // arrow keys move among choices too, and must not lose the focus

document.addEventListener("pointerdown", (event) => {
  isPointed = true;
  // The focus stays where one types, also while one ticks a box in between.
  if (event.target.closest(".keypad") || (event.target.closest(".box label") && hasKeys && !keys().hidden)) event.preventDefault();
});
document.addEventListener("keydown", () => { isPointed = false; });

document.addEventListener("focusin", (event) => {
  // A button of the bar must not move away while it is pressed.
  if (!hasKeys || form() === null || event.target.closest(".sticky")) return;
  keys().hidden = !event.target.matches("[data-number]");
  isFirstKey = true;
  keepInSight();
});

/** The bar grows with the keys and with what the hand gives: the number that one types stays above it. */
function keepInSight() {
  document.documentElement.style.setProperty("--bar", `${form()?.querySelector(".sticky").offsetHeight ?? 0}px`);
  if (form() !== null && !keys().hidden) document.activeElement.closest(".field")?.scrollIntoView({ block: "nearest" });
}

/** To the next pips that are still empty, first after `control`, then before it. Without any, the keys go. */
function onwards(control) {
  const all = numbers(), at = all.indexOf(control);
  const next = [...all.slice(at + 1), ...all.slice(0, at)].find((one) => one.value === "" && one.closest(".pips"));
  if (next) next.focus();
  else { control.blur(); keys().hidden = true; }
}

function type(control, digit) {
  const text = (isFirstKey ? "" : control.value) + digit;
  if (text.length > control.maxLength) return;
  control.value = text;
  isFirstKey = false;
  control.dispatchEvent(new Event("input", { bubbles: true }));
  // No further digit can follow: on to the next player.
  const isWhole = Number(text) * 10 > Number(control.dataset.number);
  if (isWhole && numbers().some((one) => one !== control && one.value === "" && one.closest(".pips"))) onwards(control);
}

document.addEventListener("click", (event) => {
  const key = event.target.closest(".keypad button");
  if (key === null) return;
  const control = document.activeElement;
  if (!control.matches("[data-number]")) return;
  if (key.dataset.digit) type(control, key.dataset.digit);
  else if ("next" in key.dataset) onwards(control);
  else {
    control.value = isFirstKey ? "" : control.value.slice(0, -1);
    isFirstKey = false;
    control.dispatchEvent(new Event("input", { bubbles: true }));
  }
});

// Who went out, or locked, is known: the pips come next.
document.addEventListener("change", (event) => {
  if (event.target.name !== "facts.ended.seat" || event.target.value === "" || !isPointed) return;
  arrange();
  const first = numbers().find((one) => one.closest(".pips"));
  if (first?.value === "") first.focus();
});

// ------------------------------------------------------------ what the server says

// A correction may take the match below its target: the preview says so, and the question what becomes of it appears.
function ask() {
  const part = form()?.querySelector("[data-if-it-takes-back-the-end]");
  if (part) show(part, form().querySelector("[data-takes-back-the-end]") !== null);
}

function tell() {
  const next = document.querySelector("[data-next-hand]")?.dataset.nextHand;
  const line = form()?.querySelector("[data-overtaken]");
  const control = form()?.elements.hand;
  if (line && control) line.hidden = next === undefined || control.value === next;
}

for (const kind of ["input", "restored", "league:refreshed"]) document.addEventListener(kind, arrange);
document.addEventListener("league:refreshed", tell);
document.addEventListener("htmx:afterSettle", () => { arrange(); ask(); keepInSight(); });
for (const kind of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(kind, () => queueMicrotask(arrange));
arrange();
