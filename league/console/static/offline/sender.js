// Sends what has not been sent, in order, one at a time in all tabs. Each is stored once: it keeps its key over a lost answer.

import { sentOf, toSend } from "./queue.js";

/** Why a run ended. `DONE`: nothing is left that can be sent. `BUSY`: the server wants to be asked later. */
export const DONE = "done", AWAY = "away", BUSY = "busy", SIGNED_OUT = "signed out", OTHER_PERSON = "other person";

/**
 * A function that sends all that `person` has in the `store`. `post` sends one entry and answers
 * `{ status, refused, text, next, after }`, or throws where there is no connection. Answers why it ended, what became of each key,
 * and `after` how many seconds the server wants to be asked again.
 */
export function sender({ store, post, person }) {
  return async function run() {
    const became = new Map();
    for (;;) {
      const entry = toSend(await store.all(), person);
      if (entry === undefined) return { ended: DONE, became };
      let answer;
      try {
        answer = await post(entry, sentOf(entry));
      } catch {
        return { ended: AWAY, became };
      }
      if (answer.status === 204) {
        await store.change(() => ({ put: [], remove: [entry.key] }));
        became.set(entry.key, { isStored: true, next: answer.next });
        continue;
      }
      const [code, ...controls] = (answer.refused ?? "").split("; ");
      // What the league itself has not answered, such as the page of a hotel's network, is no answer.
      if (code === "" || answer.status >= 500) return { ended: AWAY, became };
      if (answer.status === 429) return { ended: BUSY, became, after: answer.after };
      if (code === "SIGNED_OUT" || code === "STATUS_401") return { ended: SIGNED_OUT, became };
      if (code === "OTHER_PERSON") return { ended: OTHER_PERSON, became };
      const refusal = { code, controls, ...answer.said };
      // It may have been changed or taken back in the meantime; then this answer is about nothing.
      await store.change((entries) => {
        const still = entries.find((one) => one.key === entry.key);
        return still === undefined ? null : { put: [{ ...still, refusal }], remove: [] };
      });
      became.set(entry.key, { isStored: false, text: answer.text });
    }
  };
}
