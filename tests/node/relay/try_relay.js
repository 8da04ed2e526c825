// Tries Relay on a league: prints what its fragments show, which operations it sent, and what it warned of.
import { format } from "node:util";
import relay from "relay-runtime";
import { relayEnvironment } from "./built/environment.js";

const [address, token] = process.argv.slice(2);
const warnings = [];
console.warn = console.error = (...said) => warnings.push(format(...said));
const sent = [];
const send = globalThis.fetch;
globalThis.fetch = (url, options) => {
  sent.push(JSON.parse(options.body).operationName);
  return send(url, options);
};

const made = async (name) => (await import(`./built/__generated__/${name}.graphql.js`)).default.default;
const [appQuery, appBoard, appPlayer, appMatch, appHand] = await Promise.all(
  ["appQuery", "appBoard", "appPlayer", "appMatch", "appHand"].map(made),
);
const [nextPage, matchAgain, recordHand, boardChanged] = await Promise.all(
  ["appBoardPageQuery", "appMatchAgainQuery", "appRecordHandMutation", "appBoardChangedSubscription"].map(made),
);
const environment = relayEnvironment({ address, token });

/** What a query has, sent now and then kept in the store. */
async function query(request, variables) {
  const operation = relay.createOperationDescriptor(relay.getRequest(request), variables);
  environment.retain(operation);
  await relay.fetchQuery(environment, request, variables).toPromise();
  return () => environment.lookup(operation.fragment).data;
}

/** What a fragment shows of an object now. */
const shown = (fragment, ref) => environment.lookup(relay.getSingularSelector(fragment, ref)).data;

async function until(holds) {
  for (let attempt = 0; !holds(); attempt++) {
    if (attempt === 3000) throw new Error(`in vain: ${holds}\n${JSON.stringify({ sent, warnings }, null, 1)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const said = {};
const screen = await query(appQuery, { match: "sheet" });
const places = () => shown(appBoard, screen().board).places;
const names = () => places().edges.map(({ node }) => shown(appPlayer, node.player).displayName);
const points = () => shown(appMatch, screen().match).hands.map((hand) => shown(appHand, hand).points);
said.all = names();

// As `refetch({count: 2})` and then `loadNext(2)` of usePaginationFragment: both ask `node` for the board.
const board = relay.getDataIDsFromFragment(appBoard, screen().board);
await query(nextPage, { id: board, count: 2 });
said.first = { names: names(), hasNext: places().pageInfo.hasNextPage };
await query(nextPage, { id: board, count: 2, cursor: places().pageInfo.endCursor });
said.joined = names();

await new Promise((onCompleted, onError) => {
  const facts = { ended: { by: "DOMINO", seat: 0 }, leftover: [{ pips: 0 }, { pips: 10 }] };
  const input = { match: "sheet", hand: 1, facts };
  relay.commitMutation(environment, { mutation: recordHand, variables: { input }, onCompleted, onError });
});
said.recorded = points();

const match = relay.getDataIDsFromFragment(appMatch, screen().match);
await query(matchAgain, { id: match });
said.again = points();

let heard = 0;
relay.requestSubscription(environment, { subscription: boardChanged, variables: {}, onNext: () => heard++ });
said.sent = [...sent];
// Somebody else records results until Relay hears of the board: its subscription may begin after the first one.
for (let number = 0; heard === 0; number++) {
  const told = await send(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      query: `mutation ($open: OpenMatchInput!, $result: RecordResultInput!) {
        openMatch(input: $open) { __typename } recordResult(input: $result) { __typename ... on UserError { message } } }`,
      variables: {
        open: { matchId: `new-${number}`, ruleset: "cuban-150", mode: "ONE_ON_ONE", competition: "COMPETITIVE", seats: ["ana", "bea"], playedAt: "2026-03-02T12:00:00Z" },
        result: { match: `new-${number}`, announced: { winner: 0, score: [150, 0] }, playedAt: "2026-03-02T13:00:00Z" },
      },
    }),
  });
  const { data } = await told.json();
  if (data.recordResult.__typename !== "MatchSuccess") throw new Error(JSON.stringify(data));
  for (let attempt = 0; heard === 0 && attempt < 100; attempt++) await new Promise((resolve) => setTimeout(resolve, 20));
}
said.heard = names();
console.log(JSON.stringify({ ...said, warnings }));
process.exit();
