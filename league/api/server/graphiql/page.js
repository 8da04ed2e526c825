// GraphiQL for the API at the address of this page. The globals are those of the files beside this one.
"use strict";

const EXAMPLE = `# The first places of a board. Press the button with the triangle to run this.
# A bearer token goes into the headers below: { "Authorization": "Bearer ..." }
{
  board(kind: ONE_ON_ONE, includeInactive: true) {
    places(first: 5) {
      nodes { rank shown player { name region } }
    }
  }
}
`;

// What GraphiQL's dialogs read before they write a style into the page.
globalThis.__webpack_nonce__ = document.querySelector("meta[name=nonce]").content;

const api = new URL(location.pathname, location.origin);
const socket = new URL(api);
socket.protocol = api.protocol === "https:" ? "wss:" : "ws:";

// A WebSocket of a browser has no headers: the token goes into its first message.
function ask(operation, options) {
  const headers = options?.headers ?? {};
  const name = Object.keys(headers).find((key) => key.toLowerCase() === "authorization");
  const wsClient = graphqlWs.createClient({
    url: socket.href,
    connectionParams: name === undefined ? {} : { Authorization: headers[name] },
  });
  return GraphiQL.createFetcher({ url: api.href, wsClient })(operation, options);
}

// A link may bring an operation: /graphql?query=... or, unseen by servers and proxies, /graphql#query=...
const link = new URLSearchParams(location.search || location.hash.slice(1));

ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, {
    fetcher: ask,
    defaultQuery: EXAMPLE,
    defaultEditorToolsVisibility: link.has("variables") ? "variables" : "headers",
    query: link.get("query") ?? undefined,
    variables: link.get("variables") ?? undefined,
    operationName: link.get("operationName") ?? undefined,
  }),
);
