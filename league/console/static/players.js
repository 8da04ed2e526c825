// Shows, under a control that names a player, the players whom the text may mean. One tap fills in the name.
//
// This only helps: the server finds the player by the name. If two players have the same name, the tap fills in the id.

const WAIT = 250; // milliseconds after the last letter

for (const part of document.querySelectorAll("[data-named]")) {
  const input = part.querySelector("input");
  const found = part.querySelector(".found");
  let asked = 0;
  let timer = null;

  async function find() {
    const number = ++asked;
    const text = input.value.trim();
    if (text.length < 2) {
      found.replaceChildren();
      return;
    }
    const answer = await fetch(`${part.dataset.named}?${new URLSearchParams({ text })}`).catch(() => null);
    if (answer === null || !answer.ok || number !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const players = [...page.querySelectorAll("[data-player]")];
    found.replaceChildren(...players.map((player) => choice(player, players)));
    const none = page.querySelector(".empty");
    if (players.length > 0 || none === null) return;
    const line = document.createElement("p"); // a `li` outside of its list would have a bullet
    line.className = "empty";
    line.textContent = none.textContent;
    found.append(line);
  }

  function choice(player, players) {
    const name = player.querySelector("bdi").textContent;
    const isOnly = players.filter((one) => one.querySelector("bdi").textContent === name).length === 1;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "second";
    button.append(...player.cloneNode(true).childNodes);
    button.addEventListener("click", () => {
      asked += 1;
      input.value = isOnly ? name : player.dataset.player;
      found.replaceChildren();
      input.dispatchEvent(new Event("change", { bubbles: true }));
      input.focus();
    });
    return button;
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, WAIT);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") found.replaceChildren();
  });
  // Leaving the control closes the list, unless the focus moves into the list.
  part.addEventListener("focusout", () => setTimeout(() => {
    if (!part.contains(document.activeElement)) found.replaceChildren();
  }, 150));
  if (input === document.activeElement) find(); // what was typed before this script ran
}
