// Shows the entries that have not been sent, with what the server refused: on the desk all, on a match's pages its own.

import { adopt, again, inOrder, sendAs, takeBack } from "./queue.js";
import { now } from "./clock.js";
import { newKey } from "./form.js";
import { made, person, section, timeOf, words } from "./page.js";
import { change } from "./store.js";

export const titleOf = (entry) => (entry.number === null ? entry.title : words("hand", { number: entry.number }));

function button(text, act, className = "second") {
  const one = made("button", className, text);
  one.type = "button";
  one.addEventListener("click", act);
  return one;
}

function link(text, address) {
  const one = made("a", "button second", text);
  one.href = address;
  return one;
}

const asked = new Set(); // the keys of entries whose button asks, until it is pressed again

/** A button that asks once more before it acts. The question stays when the list is drawn again. */
function sure(key, text, question, act) {
  const one = button(asked.has(key) ? question : text, () => {
    if (asked.delete(key)) act();
    else {
      asked.add(key);
      one.textContent = question;
    }
  });
  return one;
}

function choices(entry, changed) {
  const act = (decide) => async () => { await change(decide); changed(); };
  const { refusal } = entry;
  const edit = link(words("change"), `${entry.address}#unsent=${entry.key}`);
  const back = sure(entry.key, words("take_back"), words("take_back_sure"), act((all) => takeBack(all, entry.key, newKey)));
  // What is stored has changed meanwhile: only the form, filled in anew, may overwrite it.
  if (refusal === null || refusal.code === "CHANGED_SINCE") return [edit, back];
  const correct = refusal.correct ? [link(words("correct_stored"), `${refusal.correct}#unsent=${entry.key}`)] : [];
  if (refusal.code === "WRONG_HAND" && refusal.next) {
    const number = Number(refusal.next);
    const drop = button(words("drop"), act((all) => takeBack(all, entry.key, newKey)), "");
    const asNext = button(words("as_next", { number }), act((all) => sendAs(all, entry.key, number, newKey)));
    return refusal.correct ? [drop, ...correct, asNext] : [asNext, back];
  }
  const resent = button(words("again"), act((all) => again(all, entry.key, {}, newKey)));
  const isOver = entry.number !== null && refusal.status !== undefined && refusal.status !== "OPEN";
  if (isOver) return [...correct, resent, back];
  const isTime = refusal.controls.includes("playedAt");
  const withNow = button(words("with_now"), act((all) => again(all, entry.key, { playedAt: now() }, newKey)));
  return [edit, isTime ? withNow : resent, back];
}

/** Why an entry was refused: in few words for the common reasons, else as the league says it. */
function reasonOf({ number, refusal }) {
  if (refusal.status === "VOIDED") return words("voided");
  if (refusal.code === "WRONG_HAND" && refusal.correct) return words("taken", { number });
  if (refusal.code === "MATCH_OVER" && number !== null) return words("over");
  return words("why", { reason: refusal.message });
}

function entryLine(entry, changed) {
  const { refusal } = entry;
  const line = made("li", "unsent-entry");
  line.dataset.key = entry.key;
  line.append(made("p", "unsent-title", made("strong", "", titleOf(entry)), ` · ${timeOf(entry.playedAt)} `,
    made("span", "chip", words(refusal === null ? "not_sent" : "refused"))));
  const facts = made("p", "unsent-facts");
  for (const [label, value] of entry.said) {
    if (facts.childNodes.length) facts.append(" · ");
    facts.append(label ? `${label.replace(/:$/, "")}: ` : "", made("b", "", value));
  }
  line.append(facts);
  if (refusal !== null) {
    const notice = made("div", "notice", made("p", "", reasonOf(entry)));
    notice.setAttribute("role", "alert");
    if (refusal.stored) {
      notice.append(made("p", "quiet", words("stored_now")));
      // The server's own markup, in which it has escaped what people typed.
      notice.append(...new DOMParser().parseFromString(refusal.stored, "text/html").body.childNodes);
    }
    line.append(notice);
  }
  line.append(made("p", "actions", ...choices(entry, changed)));
  return line;
}

const lines = (entries, changed) => made("ul", "plain", ...entries.map((one) => entryLine(one, changed)));

/** The entries of a match, in order. `isShort`: only the last one and refused ones are open, the others a tap away. */
function linesOf(entries, isShort, changed) {
  const seen = isShort ? entries.filter((one) => one.refusal !== null || one === entries.at(-1)) : entries;
  const earlier = entries.filter((one) => !seen.includes(one));
  if (earlier.length === 0) return [lines(seen, changed)];
  const before = made("details", "", made("summary", "", words("earlier", { count: earlier.length })), lines(earlier, changed));
  before.dataset.of = entries[0].match;
  before.open = section().querySelector(`details[data-of="${CSS.escape(entries[0].match)}"]`)?.open ?? false;
  return [before, lines(seen, changed)];
}

/** All entries under the names of their matches. */
function byMatch(entries, changed) {
  return [...new Set(entries.map((one) => one.match))].flatMap((match) => {
    const own = entries.filter((one) => one.match === match);
    const about = made("a", "", own[0].about);
    about.href = own[0].then.replace(/\/record$/, "");
    return [made("h3", "", about), ...linesOf(own, true, changed)];
  });
}

let drawn = "";

/** Draws the section. `state`: { entries, line, ended, sent, ready, isSending }. `changed` is called after a choice. */
export function draw(state, changed) {
  const at = section();
  if (at === null) return;
  const { match } = at.dataset;
  const own = inOrder(state.entries.filter((one) => one.person === person));
  const shown = match ? own.filter((one) => one.match === match) : own;
  const others = state.entries.filter((one) => one.person !== person);
  const parts = [];
  if (state.line) parts.push(made("p", "notice line-state", state.line));
  if (state.sent && own.length === 0) parts.push(made("p", "good", words("sent", { count: state.sent })));
  if (own.length) {
    parts.push(made("h2", "", words("unsent", { count: own.length })));
    if (state.ended === "signed out") {
      const way = made("a", "", words("sign_in"));
      way.href = at.dataset.signIn;
      parts.push(made("p", "notice", `${words("signed_out")} `, way));
    } else if (state.ended === "other person") {
      parts.push(made("p", "notice", words("other_person")));
    } else if (state.ended === "busy") {
      parts.push(made("p", "notice", words("busy")));
    } else if (own.some((one) => one.refusal !== null)) {
      parts.push(made("p", "quiet", words("decide")));
    } else {
      parts.push(made("p", "quiet", state.isSending ? words("sending") : words("waits")));
    }
    // Above a form the last entry is enough: the form is what matters.
    const isForm = document.querySelector("form[data-unsent]") !== null;
    if (!match) parts.push(...byMatch(shown, changed));
    else if (shown.length) parts.push(...linesOf(shown, isForm, changed));
  }
  if (person === "" && others.length) {
    const count = others.length;
    parts.push(made("p", "notice", `${words("unsent", { count })}. ${words("signed_out")}`));
  }
  for (const who of person === "" ? [] : new Set(others.map((one) => one.person))) {
    const theirs = others.filter((one) => one.person === who);
    const take = button(words("adopt"), async () => { await change((all) => adopt(all, person, newKey)); changed(); });
    parts.push(made("div", "notice", made("p", "", words("of_another", { person: who, count: theirs.length })), take));
  }
  if (state.ready && !own.length) parts.push(made("p", "quiet", state.ready));
  const wanted = JSON.stringify([state.entries, parts.map((one) => one.outerHTML)]);
  if (wanted === drawn) return; // a button that somebody is about to press stays in its place
  drawn = wanted;
  at.replaceChildren(...parts);
  at.hidden = parts.length === 0;
}
