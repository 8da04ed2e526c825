// The form of a hand: shows only what can matter after what was chosen, and tells when somebody else was quicker.

const form = () => document.querySelector(".hand-form");
const chosen = (name) => form().querySelector(`[name="${name}"]:checked`)?.value ?? "";

function show(part, isShown) {
  part.hidden = !isShown;
  // What is not shown is not sent. It comes back with what was typed.
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
    // Pips of the winners that somebody has written down stay.
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
