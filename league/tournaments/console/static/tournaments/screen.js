// Turns the pages of the screen for the hall in a loop.
const SECONDS = 12;
let at = 0;

function show() {
  const pages = [...document.querySelectorAll(".turned")];
  pages.forEach((page, number) => page.classList.toggle("shown", number === at % pages.length));
}

show();
setInterval(() => { at += 1; show(); }, SECONDS * 1000);
// After a refresh the sections are new elements, so choose the shown one again.
document.body.addEventListener("htmx:afterSettle", show);
