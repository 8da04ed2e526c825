// Marks, while somebody types, the settings that differ from the edition to compare with, for the filter of the form.
//
// A `.setting` has in `data-before` what its controls have there, by name. The server marks them too, when it shows the
// form again.

function differs(setting) {
  const before = JSON.parse(setting.dataset.before);
  const named = [...setting.querySelectorAll("[name]")];
  const off = named.find((control) => control.name.endsWith(".off"));
  if (off?.checked || (off && before[off.name])) return off.checked !== Boolean(before[off.name]);
  return named.some((control) => {
    const value = control.type === "checkbox" ? (control.checked ? control.value : "") : control.value.trim();
    return value.replace(",", ".") !== (before[control.name] ?? "").replace(",", ".");
  });
}

// Marks what a hand gave under settings that have been changed since.
function outdate() {
  for (const tried of document.querySelectorAll(".tried")) tried.classList.add("old");
}

function mark(setting) {
  setting.classList.toggle("differs", differs(setting));
}

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    const setting = event.target.closest(".setting");
    if (setting !== null) mark(setting);
    if (setting !== null || event.target.name?.startsWith("tried")) outdate();
    if (!event.target.matches(".only-different input")) return;
    for (const section of document.querySelectorAll(".rule-section")) section.open ||= section.querySelector(".differs") !== null;
  });
}
document.addEventListener("restored", () => document.querySelectorAll(".setting").forEach(mark));
