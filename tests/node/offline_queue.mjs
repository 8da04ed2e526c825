// Plays what people, lines and a second phone may do to the queue of unsent hands, and prints where the hands end up.
//
// Standard input has one case a line: a list of steps. `node offline_queue.mjs FOLDER`, which has the modules of the queue.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const moduleOf = (name) => import(pathToFileURL(join(process.argv[2], name)).href);
const queue = await moduleOf("queue.js");
const { sender } = await moduleOf("sender.js");

async function play(steps) {
  let entries = [];
  let keys = 0;
  const newKey = () => `key-${(keys += 1)}`;
  const store = {
    all: async () => entries,
    change: async (decide) => {
      const decided = decide(entries);
      const { put = [], remove = [] } = decided ?? {};
      entries = [...entries.filter((one) => !remove.includes(one.key) && !put.some((other) => other.key === one.key)), ...put];
      return decided;
    },
  };
  const hands = {};
  const known = new Map();
  const faults = [];
  let refused = 0;
  let answers = [];

  function record(fields) {
    const sent = Object.fromEntries(fields);
    const stored = (hands[sent.match] ??= []);
    const content = JSON.stringify(fields);
    if (known.has(sent.idempotencyKey)) {
      if (known.get(sent.idempotencyKey) !== content) faults.push(`another content under ${sent.idempotencyKey}`);
      return { status: 204 };
    }
    if (Number(sent.hand) !== stored.length + 1) {
      refused += 1;
      return { status: 422, refused: "WRONG_HAND; hand", said: { next: String(stored.length + 1) } };
    }
    known.set(sent.idempotencyKey, content);
    stored.push(sent.id);
    return { status: 204 };
  }

  async function post(entry, fields) {
    const answer = answers.shift() ?? "ok";
    if (answer === "away") throw new TypeError("away");
    if (answer === "foreign") return { status: 200, refused: null };
    if (answer === "busy") return { status: 429, refused: "STATUS_429", after: 1 };
    const said = record(fields);
    if (answer === "lost") throw new TypeError("lost");
    return said;
  }

  const run = sender({ store, post, person: "kim" });

  async function decide() {
    for (const entry of entries.filter((one) => one.refusal)) {
      const isMine = hands[entry.match][entry.number - 1] === entry.id;
      if (isMine) await store.change((all) => queue.takeBack(all, entry.key, newKey)); // it had been stored after all
      else await store.change((all) => queue.sendAs(all, entry.key, Number(entry.refusal.next), newKey));
    }
  }

  const entryOf = (match, id) => ({
    key: newKey(), person: "kim", match, id, fields: [["match", match], ["id", id]], playedAt: id,
    number: queue.nextHand(entries, match, "kim", (hands[match]?.length ?? 0) + 1),
  });

  for (const [step, ...of] of steps) {
    const at = queue.inOrder(entries)[of[0]];
    if (step === "type") await store.change((all) => queue.add(all, entryOf(...of)));
    else if (step === "other") (hands[of[0]] ??= []).push("another's");
    else if (step === "take back" && at) await store.change((all) => queue.takeBack(all, at.key, newKey));
    else if (step === "change" && at) {
      const changed = { ...at, key: newKey(), fields: [...at.fields, ["changed", "yes"]] };
      await store.change((all) => queue.replace(all, at.key, changed));
    } else if (step === "send") {
      answers = of[0];
      await run();
    } else if (step === "decide") await decide();
  }
  answers = [];
  for (let round = 0; entries.length && round < 1_000; round += 1) {
    await run();
    await decide();
  }
  return { hands, faults, refused, unsent: entries.length };
}

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) console.log(JSON.stringify(await play(JSON.parse(line))));
