// Turns the pages of a screen for the hall in a loop. A list that is longer than the screen has several pages: its
// columns go on to the right, and it is scrolled by its width. So no table is ever cut off.
const SECONDS = 12;
const SPARE = 8; // pixels below a list
let at = 0;

function pages() {
  return [...document.querySelectorAll(".turned")].flatMap((section) => {
    const list = section.querySelector(".paged");
    section.classList.add("shown");
    section.querySelector("[data-page]").textContent = "10 / 10"; // the heading is measured as it will be
    list.style.columnFill = "auto";
    list.style.height = `${Math.max(innerHeight - list.getBoundingClientRect().top - scrollY - SPARE, 1)}px`;
    const width = list.clientWidth + parseFloat(getComputedStyle(list).columnGap);
    const count = Math.max(1, Math.ceil((list.scrollWidth - SPARE) / width));
    if (count === 1) list.style.columnFill = "balance"; // a short list takes both halves of the screen
    section.classList.remove("shown");
    return Array.from({ length: count }, (_, number) => ({ section, list, number, count, left: number * width }));
  });
}

function show() {
  const all = pages();
  if (all.length === 0) return;
  at %= all.length;
  const { section, list, number, count, left } = all[at];
  section.classList.add("shown");
  list.scrollLeft = left;
  section.querySelector("[data-page]").textContent = count > 1 ? `${number + 1} / ${count}` : "";
}

document.documentElement.classList.add("turning");
show();
setInterval(() => { at += 1; show(); }, SECONDS * 1000);
addEventListener("resize", show);
// A refresh shows no section, so choose one again before the page is painted.
document.body.addEventListener("htmx:afterSwap", show);
