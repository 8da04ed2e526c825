// Sends queued entries in order, one at a time over all tabs. An entry whose answer was lost is sent again with the same key, so
// it is stored once.

import { sentOf, toSend } from "./queue.js";

/** Why a run ended. `DONE`: nothing is left that can be sent. `BUSY`: the server limits requests, try later. */
export const DONE = "done", AWAY = "away", BUSY = "busy", SIGNED_OUT = "signed out", OTHER_PERSON = "other person";

/**
 * A function that sends all entries of `person` in the `store`. `post` sends one entry and answers
 * `{ status, refused, text, next, after }`, or throws if there is no connection. The function answers why it ended, what became
 * of each key, and `after` how many seconds to try again.
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
      // Without a code the league did not answer, but something else did, such as the sign-in page of a hotel's network.
      if (code === "" || answer.status >= 500) return { ended: AWAY, became };
      if (answer.status === 429) return { ended: BUSY, became, after: answer.after };
      if (code === "SIGNED_OUT" || code === "STATUS_401") return { ended: SIGNED_OUT, became };
      if (code === "OTHER_PERSON") return { ended: OTHER_PERSON, became };
      const refusal = { code, controls, ...answer.said };
      // The entry may have been changed or taken back meanwhile; then this answer no longer matters.
      await store.change((entries) => {
        const still = entries.find((one) => one.key === entry.key);
        return still === undefined ? null : { put: [{ ...still, refusal }], remove: [] };
      });
      became.set(entry.key, { isStored: false, text: answer.text });
    }
  };
}
