// Makes an entry of the queue from a form, and fills a form from an entry.

import { words } from "./page.js";

const OWN = new Set(["idempotencyKey", "playedAt", "hand", "look"]);
const FACT = /^facts\./;
const TILE = /^\s*\d\s*[-|/:., ]?\s*\d\s*$/;

export const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The content of a form, as `[name, value]` of each control. */
export const fieldsOf = (form) =>
  [...new FormData(form)].filter(([name, value]) => typeof value === "string" && !OWN.has(name));

/** An entry of the queue with what the form says. */
export function entryOf(form, person, playedAt) {
  const { unsent: match, title, about, then } = form.dataset;
  const number = form.elements.hand ? Number(form.elements.hand.value) : null;
  return {
    key: newKey(), person, match, number, title, about, then, playedAt,
    address: new URL(form.action).pathname, fields: fieldsOf(form), said: said(form),
  };
}

/** What was typed, in words: `[label, value]` of each control whose content has changed. */
function said(form) {
  const found = [];
  for (const control of form.elements) {
    if (!control.name || control.disabled || control.type === "hidden" || control.type === "file") continue;
    const isChosen = control.type === "radio" || control.type === "checkbox";
    if (isChosen ? !control.checked || control.defaultChecked || control.value === "" : control.value.trim() === control.defaultValue) continue;
    const label = control.labels?.[0]?.textContent.trim() ?? "";
    if (control.type === "radio") {
      const legend = control.closest("fieldset")?.querySelector("legend")?.textContent.trim() ?? "";
      found.push(control.hasAttribute("data-plain") ? ["", label] : [legend, label]);
    } else {
      found.push(isChosen ? ["", label] : [label, control.value.trim()]);
    }
  }
  return found;
}

/** Fills a form from an entry. Controls of facts that the entry lacks are emptied. */
export function fill(form, entry) {
  const unticked = new Set(entry.fields.filter(([name]) => name === "unticked").map(([, value]) => value));
  for (const control of form.elements) {
    if (!control.name || control.type === "file" || OWN.has(control.name)) continue;
    const values = entry.fields.filter(([name]) => name === control.name).map(([, value]) => value);
    // A box that was not ticked said no, which a correction has as a choice.
    if (!values.length && control.type === "radio" && unticked.has(control.name)) values.push("no");
    if (control.type === "radio" || control.type === "checkbox") control.checked = values.includes(control.value);
    else if (control.type !== "hidden" && (values.length || FACT.test(control.name))) control.value = values[0] ?? "";
  }
  form.dispatchEvent(new Event("restored", { bubbles: true }));
}

/** Why the form cannot be stored as it is, and at which control; else null. The device checks this, because the server may be
 * out of reach for hours. */
export function faultOf(form) {
  if (!form.matches(".hand-form")) return null;
  const value = (name) => new FormData(form).get(name) ?? "";
  const first = (name) => form.querySelector(`[name="${name}"]`);
  if (value("facts.ended.by") !== "BLOCK" && value("facts.ended.seat") === "" && value("facts.statedWinner") === "") {
    return { text: words("say_winner"), control: first("facts.ended.seat") };
  }
  for (const control of form.querySelectorAll("[data-number]:enabled")) {
    if (!/^\s*\d*\s*$/.test(control.value)) return { text: words("not_a_number"), control };
  }
  const tile = first("facts.ended.tile");
  if (tile && !tile.disabled && tile.value.trim() !== "" && !TILE.test(tile.value)) return { text: words("not_a_tile"), control: tile };
  return null;
}
