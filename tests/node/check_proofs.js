// Runs the core of the page that checks proofs on files, one on each line of the standard input, and prints what it says.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";

const page = readFileSync(process.argv[2], "utf8");
const [libraries, core, words] = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map((found) => found[1]);
const { leagueProof, WORDS } = runInThisContext(`${libraries}${core}${words};({ leagueProof, WORDS })`);

async function verdict({ proof, keys, kept, signature }) {
  const bytes = (base64) => new Uint8Array(Buffer.from(base64, "base64"));
  if (signature) {
    const parts = signature.map(bytes);
    return { browser: await leagueProof.isSigned(...parts), library: leagueProof.isSignedByLibrary(...parts) };
  }
  try {
    const trusted = keys.flatMap(leagueProof.readPublicKeys);
    const heads = kept.flatMap((head) => leagueProof.readHeads(bytes(head)));
    if (proof === null) return { holds: true, notes: (await leagueProof.checkHeads(heads, trusted, [])).notes.map(({ note }) => note) };
    const growth = leagueProof.kindOf(bytes(proof)) === "growth";
    const proven = await leagueProof[growth ? "checkConsistency" : "checkProof"](bytes(proof), trusted, heads);
    return { holds: true, notes: proven.notes.map(({ note }) => note) };
  } catch (error) {
    if (!(error instanceof leagueProof.BadProof)) throw error;
    return { holds: false, step: error.step, why: error.why };
  }
}

console.log(JSON.stringify({ words: WORDS, browser: await leagueProof.browserKnowsEd25519() }));
for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await verdict(JSON.parse(line))));
