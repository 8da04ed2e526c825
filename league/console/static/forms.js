// Sends forms over slow and broken lines: what was typed stays on this device until it is stored, and is stored once.
//
// Works on `form[data-kept]`, whose value is a name for the form, such as "record-hand:match-7". Without JavaScript the
// browser sends the form as usual.

const PREFIX = "typed:";
const words = {
  en: {
    away: "The server cannot be reached. What you typed is kept on this device. Send it again in a moment.",
    kept: "You had typed this before. It has not been stored yet.",
  },
  es: {
    away: "No se puede llegar al servidor. Lo que escribió queda guardado en este aparato. Envíelo otra vez en un momento.",
    kept: "Usted había escrito esto antes. Todavía no está guardado.",
  },
}[document.documentElement.lang] ?? {};

const place = (form) => PREFIX + form.dataset.kept;

function keep(form) {
  const typed = [...new FormData(form)].filter(([, value]) => typeof value === "string");
  localStorage.setItem(place(form), JSON.stringify(typed));
}

function restore(form) {
  const kept = localStorage.getItem(place(form));
  if (kept === null || form.hasAttribute("data-answered")) return;
  for (const [name, value] of JSON.parse(kept)) {
    for (const control of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
      if (control.type === "radio" || control.type === "checkbox") control.checked ||= control.value === value;
      else control.value = value; // the key, too: if it was stored after all, it is not stored twice
    }
  }
  say(form, words.kept, "notice");
}

function say(form, text, kind) {
  let line = form.querySelector("[data-said]");
  if (line === null) {
    line = document.createElement("p");
    line.dataset.said = "";
    line.setAttribute("role", "status");
    form.prepend(line);
  }
  line.className = kind;
  line.textContent = text;
}

async function send(form, button) {
  const body = new FormData(form, button);
  const buttons = form.querySelectorAll("button");
  keep(form);
  for (const one of buttons) one.disabled = true;
  form.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
    if (response.redirected) {
      localStorage.removeItem(place(form));
      location.assign(response.url);
      return;
    }
    if (response.status >= 502 && response.status <= 504) throw new TypeError("away");
    show(await response.text());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    say(form, words.away, "error");
  } finally {
    for (const one of buttons) one.disabled = false;
    form.removeAttribute("aria-busy");
  }
}

function show(text) {
  const answered = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  for (const form of answered.querySelectorAll("form[data-kept]")) form.dataset.answered = "";
  window.Idiomorph.morph(document.querySelector("main"), answered, { morphStyle: "innerHTML" });
  document.querySelector("main [role=alert], main [aria-invalid=true]")?.focus();
  document.querySelector("main .error")?.scrollIntoView({ block: "center" });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-kept]") || event.defaultPrevented) return;
  event.preventDefault();
  send(form, event.submitter);
});
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-kept]");
  if (form !== null) keep(form);
});
// Signing out leaves nothing of what a person typed on a shared device.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-forget]")) return;
  for (const name of Object.keys(localStorage)) if (name.startsWith(PREFIX)) localStorage.removeItem(name);
});
document.querySelectorAll("form[data-kept]").forEach(restore);
