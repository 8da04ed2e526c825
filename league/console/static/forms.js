// Sends forms over slow and broken lines: what was typed stays on this device until it is stored, and is stored once.
//
// Works on `form[data-draft]`, whose value is a name for the form, such as "record-hand:match-7". Without JavaScript the
// browser sends the form as usual. A draft is what was typed into a form, stored on this device. A control with
// `data-fresh`, or in a form with it, is never part of a draft: it gives rights, or destroys something. A hidden control is
// part of a draft only with `data-restored`; the others hold what the page knows. A form that somebody has typed into has
// `data-typed`, and no refresh of the page touches it. Such a form needs an `id`, by which the refresh finds it.

const PREFIX = "typed:";
const OTHERS = ["muted:"]; // what other modules store about a person
const PATIENCE = 60_000; // milliseconds for an answer
const PATIENCE_WITH_FILE = 300_000;
const words = {
  en: {
    away: "The server cannot be reached. What you typed is kept on this device. Send it again in a moment.",
    awayFresh: "The server cannot be reached. What you typed stays on this page. Send it again in a moment.",
    kept: "You had typed this before. It has not been stored yet.",
    keptInPart: "You had typed this before. It has not been stored yet, and not everything was filled in again: look at the whole form.",
    forget: "Clear it and start anew",
    lookAway: "This is shown when there is a connection.",
  },
  es: {
    away: "No se puede llegar al servidor. Lo que escribió queda guardado en este aparato. Envíelo otra vez en un momento.",
    awayFresh: "No se puede llegar al servidor. Lo que escribió sigue en esta página. Envíelo otra vez en un momento.",
    kept: "Usted había escrito esto antes. Todavía no está guardado.",
    keptInPart: "Usted había escrito esto antes. Todavía no está guardado, y no se volvió a llenar todo: revise el formulario completo.",
    forget: "Borrarlo y empezar de nuevo",
    lookAway: "Esto se muestra cuando haya conexión.",
  },
}[document.documentElement.lang] ?? {};

// The name holds the person, too: whoever signs in next on this device does not find what somebody else typed.
const person = document.body.dataset.signedIn;
const own = `${PREFIX}${encodeURIComponent(person ?? "")}:`;
const place = (form) => own + form.dataset.draft;

// A browser may refuse to store anything. Then forms work without drafts.
const device = {
  read: (name) => { try { return localStorage.getItem(name); } catch { return null; } },
  write: (name, value) => { try { localStorage.setItem(name, value); } catch { /* it is full, or not allowed */ } },
  remove: (name) => { try { localStorage.removeItem(name); } catch { /* not allowed */ } },
  names: () => { try { return Object.keys(localStorage); } catch { return []; } },
};

const isFresh = (control) =>
  control.closest("[data-fresh]") !== null || (control.type === "hidden" && !control.hasAttribute("data-restored"));

function typedInto(form) {
  const fresh = new Set([...form.elements].filter(isFresh).map((control) => control.name));
  return JSON.stringify([...new FormData(form)].filter(([name, value]) => typeof value === "string" && !fresh.has(name)));
}

const hasFile = (form) => form.querySelector('input[type="file"]') !== null;

function storeDraft(form) {
  form.dataset.typed = "";
  if (form.hasAttribute("data-fresh")) return;
  if (hasFile(form)) return; // a file cannot be stored, and the rest is useless without it
  device.write(place(form), typedInto(form));
}

/** Removes the draft: the form has been stored, or another module took it over. */
export function forget(form) {
  device.remove(place(form));
  delete form.dataset.typed;
}

function isChanged(control) {
  if (control.type === "radio" || control.type === "checkbox") return control.checked !== control.defaultChecked;
  if (control.type !== "select-one") return "defaultValue" in control && control.value !== control.defaultValue;
  return control.selectedIndex !== Math.max(0, [...control.options].findIndex((option) => option.defaultSelected));
}

/** Fills in the draft, except where somebody typed before this module was loaded. */
function restore(form) {
  const changed = new Set([...form.elements].filter(isChanged).map((control) => control.name));
  if (changed.size > 0) form.dataset.typed = "";
  if (form.hasAttribute("data-answered") || form.hasAttribute("data-fresh")) return;
  const draft = device.read(place(form));
  if (draft === null) return;
  const typed = JSON.parse(draft);
  for (const control of form.elements) {
    if (!control.name || control.type === "file" || isFresh(control) || changed.has(control.name)) continue;
    const values = typed.filter(([name]) => name === control.name).map(([, value]) => value);
    if (control.type === "radio" || control.type === "checkbox") control.checked = values.includes(control.value);
    else if (values.length) control.value = values[0]; // the key, too: if the form was stored after all, it is not stored twice
  }
  form.dataset.typed = "";
  const forget = document.createElement("button");
  forget.type = "button";
  forget.className = "link";
  forget.textContent = words.forget;
  forget.addEventListener("click", () => {
    device.remove(place(form));
    location.reload();
  });
  const isWhole = form.querySelector("[data-fresh]:not([type=hidden])") === null;
  say(form, isWhole ? words.kept : words.keptInPart, "notice").append(" ", forget);
}

export function say(form, text, kind) {
  let line = form.querySelector("[data-said]");
  if (line === null) {
    line = document.createElement("p");
    line.dataset.said = "";
    line.setAttribute("role", "status");
    form.prepend(line);
  }
  line.className = kind;
  line.textContent = text;
  return line;
}

/** Says what is wrong with a control, beside it, as the server does. It is gone once the control is changed. */
export function sayBeside(control, text) {
  const field = control.closest(".field");
  mend(field);
  field.classList.add("wrong");
  const line = document.createElement("p");
  line.className = "error";
  line.id = `${control.name}-error`;
  line.textContent = text;
  field.append(line);
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", line.id);
  field.scrollIntoView({ block: "center" });
  control.focus({ preventScroll: true });
}

function mend(field) {
  field.classList.remove("wrong");
  for (const line of field.querySelectorAll(":scope > .error")) line.remove();
  for (const control of field.querySelectorAll("[aria-invalid]")) {
    control.removeAttribute("aria-invalid");
    control.removeAttribute("aria-describedby");
  }
}

async function send(form, button) {
  const body = new FormData(form, button);
  const buttons = [...form.querySelectorAll("button")].filter((one) => !one.disabled);
  if (form.dataset.draft) storeDraft(form);
  for (const one of buttons) one.disabled = true;
  form.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(button?.getAttribute("formaction") ?? form.action, {
      method: "POST",
      // Without a file, the body is encoded as a browser encodes a plain form.
      body: hasFile(form) ? body : new URLSearchParams(body),
      headers: { Accept: "text/html", "X-Form": "module" },
      signal: AbortSignal.timeout(hasFile(form) ? PATIENCE_WITH_FILE : PATIENCE),
    });
    if (response.status === 204) {
      forget(form);
      location.assign(response.headers.get("Location"));
      return;
    }
    const text = await response.text();
    if (response.status >= 502 && response.status <= 504) throw new TypeError("away");
    show(form, text);
  } catch (error) {
    // A lost connection is a TypeError. A server that does not answer in time is a TimeoutError.
    if (!(error instanceof TypeError) && error.name !== "TimeoutError") throw error;
    const text = form.hasAttribute("data-fresh") ? words.awayFresh : words.away;
    say(form, text, "error notice").scrollIntoView({ block: "center" });
  } finally {
    for (const one of buttons) one.disabled = false;
    form.removeAttribute("aria-busy");
  }
}

export function show(form, text) {
  const answered = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  const same = answered?.querySelector(`form[data-draft="${CSS.escape(form.dataset.draft)}"]`);
  if (!same) {
    // This page says why there is no form now: too many requests, a right taken away, an error.
    const said = [...(answered?.querySelectorAll("h1, p:not(:has(a))") ?? [])].map((one) => one.textContent.trim());
    say(form, said.join(". ") || words.away, "error notice").scrollIntoView({ block: "center" });
    return;
  }
  same.dataset.answered = "";
  delete form.dataset.typed; // so that the answer, which repeats what was typed, may replace the form
  window.Idiomorph.morph(document.querySelector("main"), answered.innerHTML, { morphStyle: "innerHTML" });
  const again = document.querySelector(`form[data-draft="${CSS.escape(form.dataset.draft)}"]`);
  storeDraft(again);
  (again.querySelector("[aria-invalid=true]") ?? again.querySelector("[role=alert]"))?.focus();
  again.querySelector(".error")?.scrollIntoView({ block: "center" });
  again.dispatchEvent(new Event("restored", { bubbles: true }));
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-draft]") || event.defaultPrevented) return;
  event.preventDefault();
  if (!form.hasAttribute("aria-busy")) send(form, event.submitter);
});
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => {
    const form = event.target.closest("form[data-draft]");
    if (form !== null && event.target.type !== "file") storeDraft(form);
    const field = event.target.closest(".field.wrong");
    if (field !== null) mend(field);
  });
}
// Another tab of this browser has stored the form, or signed out. This form then starts anew, unless its content differs:
// then its draft stays.
window.addEventListener("storage", (event) => {
  for (const form of document.querySelectorAll("form[data-typed]")) {
    if (event.key !== place(form) || event.newValue !== null) continue;
    if (event.oldValue === typedInto(form)) location.reload();
    else storeDraft(form);
  }
});
// Signing out removes all that a person typed from a shared device. The window hears the event last, so a form that only
// warned, and was not sent, removes nothing.
window.addEventListener("submit", (event) => {
  if (event.defaultPrevented || !event.target.matches("form[data-forget]")) return;
  for (const name of device.names()) if ([PREFIX, ...OTHERS].some((one) => name.startsWith(one))) device.remove(name);
});
// A preview could not be loaded: a line in its place says so.
for (const kind of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(kind, (event) => {
    const part = event.target.closest("[data-look]");
    if (part === null) return;
    const line = document.createElement("p");
    line.className = "notice";
    line.textContent = words.lookAway;
    part.replaceChildren(line);
  });
}
// A refresh of the page does not touch a form that somebody has typed into.
window.Idiomorph.defaults.callbacks.beforeNodeMorphed = (old) => !(old.matches?.("form[data-typed]") ?? false);
// Somebody else has signed in on this device: remove the drafts of others.
if (person !== undefined) {
  for (const name of device.names()) if (name.startsWith(PREFIX) && !name.startsWith(own)) device.remove(name);
}
document.querySelectorAll("form[data-draft]").forEach(restore);
// htmx listens only now: the previews of forms that are filled in already can be loaded.
document.addEventListener("DOMContentLoaded", () => {
  for (const form of document.querySelectorAll("form[data-typed]")) form.dispatchEvent(new Event("restored", { bubbles: true }));
});
