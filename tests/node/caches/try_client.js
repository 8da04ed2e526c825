// Tries a client's cache on a league: prints what its screens show, which operations it sent, and what it warned of.
import { format } from "node:util";
import { gql } from "@apollo/client";
import * as documents from "./documents.js";

const [kind, address, token] = process.argv.slice(2);
const warnings = [];
console.warn = console.error = (...said) => warnings.push(format(...said));
const sent = [];
const said = {};
const send = globalThis.fetch;
globalThis.fetch = (url, options) => {
  const asked = options.body ? JSON.parse(options.body) : Object.fromEntries(new URL(url).searchParams);
  sent.push(asked.operationName);
  return send(url, options);
};

async function apollo() {
  const { apolloClient } = await import("./apollo.js");
  const client = apolloClient({ address, token });
  const query = (name, variables) => ({ query: gql(documents[name]), variables });
  const watch = (name, variables) => {
    const watching = client.watchQuery(query(name, variables));
    const screen = {};
    watching.subscribe(({ data, dataState }) => Object.assign(screen, dataState === "complete" && { shows: data }));
    return { screen, nextPage: (after) => watching.fetchMore({ variables: { after } }) };
  };
  return {
    watch,
    read: (name, variables) => client.query({ ...query(name, variables), fetchPolicy: "network-only" }),
    mutate: async (name, input) => (await client.mutate({ mutation: gql(documents[name]), variables: { input } })).data,
    openMatch: (input) =>
      client.mutate({
        mutation: gql(documents.openMatch),
        variables: { input },
        update: (cache) => cache.evict({ fieldName: "matches" }),
      }),
    subscribe: (name, variables) => client.subscribe(query(name, variables)).subscribe(() => {}),
  };
}

async function urql() {
  const { urqlClient } = await import("./urql.js");
  const client = urqlClient({ address, token });
  const watch = (name, variables) => {
    const screen = {};
    client.query(documents[name], variables ?? {}).subscribe(({ data }) => Object.assign(screen, data && { shows: data }));
    return { screen, nextPage: (after) => client.query(documents[name], { ...variables, after }).toPromise() };
  };
  return {
    watch,
    read: (name, variables) => client.query(documents[name], variables, { requestPolicy: "network-only" }).toPromise(),
    mutate: async (name, input) => (await client.mutation(documents[name], { input }).toPromise()).data,
    openMatch: (input) => client.mutation(documents.openMatch, { input }).toPromise(),
    subscribe: (name, variables) => client.subscription(documents[name], variables).subscribe(() => {}),
  };
}

async function until(holds) {
  for (let attempt = 0; !holds(); attempt++) {
    if (attempt === 3000) throw new Error(`in vain: ${holds}\n${JSON.stringify({ ...said, sent, warnings }, null, 1)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Somebody else does something. */
async function elsewhere(name, input) {
  const answer = await send(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: documents[name], variables: { input } }),
  });
  return (await answer.json()).data[name];
}

const client = await { apollo, urql }[kind]();
const names = ({ shows }) =>
  shows.matches.edges.map(({ node }) => node.sides.flatMap(({ players }) => players.map(({ name }) => name)));

const idsOf = ({ shows }) => shows.matches.edges.map(({ node }) => node.matchId);
const placesOf = ({ shows }) => shows.board.places.edges.map(({ node }) => node.player.name);
const pointsOf = ({ shows }) => shows.match.hands.map(({ points }) => points[0]);

const list = client.watch("matches");
await until(() => list.screen.shows);
await list.nextPage(list.screen.shows.matches.pageInfo.endCursor);
await until(() => idsOf(list.screen).length > 2);
const board = client.watch("board");
await until(() => board.screen.shows);
await board.nextPage(board.screen.shows.board.places.pageInfo.endCursor);
await until(() => placesOf(board.screen).length > 3);
said.joined = { matches: idsOf(list.screen), places: placesOf(board.screen).slice(1) };

// Screens that select different fields of an object without an id, and a list without arguments.
const wins = client.watch("wins");
await until(() => wins.screen.shows);
const hands = client.watch("hands");
await until(() => hands.screen.shows);
said.statistics = { ...wins.screen.shows.player.statistics, ...hands.screen.shows.player.statistics };
delete said.statistics.__typename;
const seasons = client.watch("seasons");
await until(() => seasons.screen.shows);
said.seasons = seasons.screen.shows.seasons.totalCount;

const sheet = client.watch("sheet", { match: "sheet" });
await until(() => sheet.screen.shows);
said.sent = sent.splice(0);

await client.mutate("renamePlayer", { player: "ana", name: `Ana ${kind}` });
await until(() => names(list.screen).flat().includes(`Ana ${kind}`));
const facts = (pips) => ({ ended: { by: "DOMINO", seat: 0 }, leftover: [{ pips: 0 }, { pips }] });
const hand = { match: "sheet", hand: 1 };
await client.mutate("recordHand", { ...hand, facts: facts(10) });
await until(() => pointsOf(sheet.screen)[0] === 10);
await client.mutate("correctHand", { ...hand, facts: facts(20), reason: "miscounted" });
await until(() => pointsOf(sheet.screen)[0] === 20);
said.changed = { matches: names(list.screen), place: placesOf(board.screen)[0], sent: sent.splice(0) };

const { position } = await elsewhere("renamePlayer", { player: "eva", name: "Evita" });
await client.read("boardAfter", { position });
await until(() => placesOf(board.screen).includes("Evita"));
const match = { matchId: "new", ruleset: "cuban-150", mode: "ONE_ON_ONE", competition: "CASUAL" };
await client.openMatch({ ...match, seats: ["ana", "flor"] });
await until(() => idsOf(list.screen)[0] === "new");
said.readAgain = sent.splice(0);

// A list whose rows have changed places, of which another screen selects other fields.
const counts = client.watch("counts");
const matchesOf = () => counts.screen.shows.board.places.edges.map(({ node }) => [node.competitorId, node.matches]);
await until(() => counts.screen.shows);
const before = matchesOf();
const playedAt = "2026-03-02T12:00:00Z"; // everybody is still active then
await elsewhere("openMatch", { ...match, matchId: "upset", seats: ["bea", "eva"], playedAt });
const announced = { winner: 0, score: [150, 0] };
const upset = await elsewhere("recordResult", { match: "upset", announced, playedAt });
await client.read("players", { position: upset.position });
await until(() => String(matchesOf()) !== String(before));
said.moved = { before, after: matchesOf() };
sent.splice(0);

client.subscribe("matchChanged", { match: "sheet" });
await elsewhere("recordHand", { ...hand, hand: 2, facts: facts(30) });
await until(() => pointsOf(sheet.screen).length === 2);
said.heard = { points: pointsOf(sheet.screen), sent: [...sent] };
console.log(JSON.stringify({ ...said, warnings }));
process.exit();
