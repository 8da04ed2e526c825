// Finds chips by name, and notes the order in which players are tapped, which is that of their seats.
//
// Without it all chips are shown, and the form leads to a page that asks for the seats.

import { wireFilters } from "./night_filter.js";

const wired = new WeakSet();

function wire(form) {
  if (wired.has(form)) return;
  wired.add(form);
  const seats = [];
  const label = (control) => control.closest("label");
  const name = (control) => label(control).querySelector("bdi").textContent;

  function show() {
    for (const one of form.querySelectorAll("label")) one.removeAttribute("data-seat");
    seats.forEach((control, seat) => { label(control).dataset.seat = seat + 1; });
    form.elements.order.value = seats.map((control) => control.value).join(" ");
    form.querySelector("button").disabled = seats.length < 2 || seats.length > 4;
    const typed = form.querySelector(".find input")?.value ?? "";
    form.toggleAttribute("data-busy", seats.length > 0 || typed !== ""); // no refresh takes away who was tapped
    const said = (...who) => who.map((control) => name(control)).join(form.dataset.and);
    const sides = seats.length === 4 ? [said(seats[0], seats[2]), said(seats[1], seats[3])] : seats.map(name);
    const [one, ...others] = sides;
    form.querySelector(".sides").textContent = seats.length < 2 ? "" : form.dataset.pairs
      .replace("{one}", () => one).replace("{other}", () => others.join(form.dataset.and));
  }

  form.addEventListener("change", (event) => {
    if (event.target.type !== "checkbox") return;
    const at = seats.indexOf(event.target);
    if (at >= 0) seats.splice(at, 1);
    else seats.push(event.target);
    if (seats.length > 4) { // a fifth takes the place of the last one
      const [last] = seats.splice(3, 1);
      last.checked = false;
    }
    show();
  });
  seats.push(...form.querySelectorAll("input[type=checkbox]:checked")); // the browser came back to the page
  show();
}

function wireAll() {
  wireFilters();
  document.querySelectorAll("form.seat").forEach(wire);
}
document.addEventListener("league:refreshed", wireAll);
wireAll();
