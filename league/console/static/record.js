// The form of a hand: shows only the controls that still matter, and tells when somebody else recorded the hand first.

const form = () => document.querySelector(".hand-form");
const chosen = (name) => form().querySelector(`[name="${name}"]:checked`)?.value ?? "";

function show(part, isShown) {
  part.hidden = !isShown;
  // A hidden control is not sent. When it is shown again it still has what was typed.
  for (const control of part.querySelectorAll("input")) control.disabled = !isShown;
}

function arrange() {
  if (form() === null) return;
  const ending = chosen("facts.ended.by");
  const who = chosen("facts.ended.seat");
  const isDomino = ending === "DOMINO";
  for (const part of form().querySelectorAll(".of-domino")) show(part, ending !== "BLOCK");
  for (const part of form().querySelectorAll(".stated")) show(part, ending === "BLOCK" || (isDomino && who === ""));
  for (const part of form().querySelectorAll(".pips[data-only-losers] .side-pips")) {
    // Pips of the winners stay if somebody has typed them.
    const isEmpty = [...part.querySelectorAll("input")].every((control) => control.value === "");
    show(part, !(isEmpty && isDomino && who !== "" && part.dataset.seats.split(" ").includes(who)));
  }
}

function tell() {
  const next = document.querySelector("[data-next-hand]")?.dataset.nextHand;
  const line = form()?.querySelector("[data-overtaken]");
  const control = form()?.elements.hand;
  if (line && control) line.hidden = next === undefined || control.value === next;
}

for (const kind of ["input", "restored", "league:refreshed"]) document.addEventListener(kind, arrange);
document.addEventListener("league:refreshed", tell);
arrange();
