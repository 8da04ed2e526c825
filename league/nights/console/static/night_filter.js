// Filters chips of people by what is typed above them, and finds players of the league who have no chip yet.

const WAIT = 250; // milliseconds after the last letter
const wired = new WeakSet();
const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

function wire(part) {
  const form = part.closest("form");
  const input = part.querySelector("input");
  const none = part.querySelector(".empty");
  const people = form.querySelector(".people");
  const chips = () => [...people.querySelectorAll("label")];
  const name = (chip) => folded(chip.querySelector("bdi").textContent);
  let asked = 0;
  let timer = null;
  let meant = new Set(); // whom the server means by what is typed

  function show(isKnown) {
    const text = folded(input.value);
    for (const chip of chips()) {
      if (chip.matches(".from-search") && text === "" && !chip.control.checked) chip.remove();
      else chip.hidden = !name(chip).includes(text) && !meant.has(chip.control.value);
    }
    none.hidden = !isKnown || chips().some((chip) => !chip.hidden);
    note();
  }

  // No refresh takes away what was typed and who was tapped.
  function note() {
    form.toggleAttribute("data-busy", input.value !== "" || people.querySelector(":checked") !== null);
  }

  async function find() {
    const number = ++asked;
    const text = input.value.trim();
    if (part.dataset.find === undefined || text.length < 2) return;
    const answer = await fetch(`${part.dataset.find}?${new URLSearchParams({ text })}`).catch(() => null);
    if (answer === null || !answer.ok || number !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const known = new Set(chips().map((chip) => chip.control.value));
    const players = [...page.querySelectorAll("[data-player]")];
    meant = new Set(players.map((player) => player.dataset.player));
    for (const player of players) {
      if (!known.has(player.dataset.player)) people.append(chipOf(player));
    }
    show(true);
  }

  function chipOf(player) {
    const chip = document.createElement("label");
    const control = document.createElement("input");
    const shown = document.createElement("span");
    chip.className = "from-search";
    Object.assign(control, { type: "checkbox", name: "player", value: player.dataset.player, autocomplete: "off" });
    shown.append(...player.cloneNode(true).childNodes);
    chip.append(control, shown);
    return chip;
  }

  input.addEventListener("input", () => {
    asked += 1;
    meant = new Set();
    show(part.dataset.find === undefined);
    clearTimeout(timer);
    timer = setTimeout(find, WAIT);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // the form is sent by its button
    const shown = chips().filter((chip) => !chip.hidden);
    if (input.value !== "" && shown.length === 1) shown[0].click();
  });
  people.addEventListener("change", () => {
    if (input.value !== "") {
      input.value = "";
      meant = new Set();
      input.focus();
      show(false);
    }
    note();
  });
  show(false);
}

/** Shows and wires the lines that are not wired yet. */
export function wireFilters() {
  for (const part of document.querySelectorAll(".find")) {
    part.hidden = false; // a refresh hides it again
    if (wired.has(part)) continue;
    wired.add(part);
    wire(part);
  }
}
