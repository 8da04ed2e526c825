// What the page tells these modules: the section for unsent entries, the sentences, and who is signed in.

export const section = () => document.getElementById("unsent");

/** Who is signed in, as this page knows it; the server has the last word. */
export const person = document.body.dataset.signedIn ?? "";

const sentences = JSON.parse(section()?.dataset.sentences ?? "{}");

/** A sentence in the page's language. */
export const words = (name, values = {}) =>
  (sentences[name] ?? "").replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));

const sameDay = (one, other) => one.toDateString() === other.toDateString();

/** A time in the page's language, with the day unless it is today. */
export function timeOf(moment) {
  const date = new Date(moment);
  const day = sameDay(date, new Date()) ? {} : { day: "numeric", month: "short" };
  return date.toLocaleString(document.documentElement.lang, { ...day, hour: "numeric", minute: "2-digit" });
}

/** An element with its text or its parts. */
export function made(name, className, ...parts) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...parts);
  return element;
}
