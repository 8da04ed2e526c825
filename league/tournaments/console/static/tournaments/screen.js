// Turns the pages of the screen for the wall: one after the other, for as long as it is open.
const SECONDS = 12;
let at = 0;

function show() {
  const pages = [...document.querySelectorAll(".turned")];
  pages.forEach((page, number) => page.classList.toggle("shown", number === at % pages.length));
}

show();
setInterval(() => { at += 1; show(); }, SECONDS * 1000);
// After a change the page was exchanged, and its sections are new.
document.body.addEventListener("htmx:afterSettle", show);
