// The connection to the API: queries over GET, which caches understand, and subscriptions over one WebSocket.
import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { persistedExchange } from "@urql/exchange-persisted";
import { createClient } from "graphql-ws";

const api = new URL("/graphql", location.href);
const socketUrl = new URL(api);
socketUrl.protocol = api.protocol === "https:" ? "wss:" : "ws:";

/** What became of the WebSocket, for a line on the page. */
export type Connection = "connecting" | "live" | "lost";

export function connect(onChange: (connection: Connection) => void): Client {
  let overdue: ReturnType<typeof setTimeout> | undefined;
  const socket = createClient({
    url: socketUrl.href,
    // After a break: connect again, for as long as the page is open, and subscribe again to what was subscribed.
    retryAttempts: Infinity,
    shouldRetry: () => true,
    keepAlive: 10_000,
    on: {
      // A connection may be dead without a sign: if no answer to a ping comes, end it, so that another is made.
      ping: (isFromServer) => {
        if (!isFromServer) overdue = setTimeout(() => socket.terminate(), 5_000);
      },
      pong: () => clearTimeout(overdue),
      connecting: () => onChange("connecting"),
      connected: () => onChange("live"),
      closed: () => onChange("lost"),
    },
  });
  return new Client({
    url: api.href,
    requestPolicy: "network-only",
    exchanges: [
      // The server has the documents that codegen has listed: only their hashes are sent.
      persistedExchange({
        enforcePersistedQueries: true,
        enableForSubscriptions: true,
        generateHash: async (_, document) => hashOf(document),
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: (request) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ ...request, query: request.query ?? "" }, sink) }),
        }),
      }),
    ],
  });
}

/** The hash that codegen has put beside a document. */
function hashOf(document: object): string {
  const { __meta__ } = document as { __meta__?: { hash: string } };
  if (__meta__ === undefined) throw new Error("codegen has not listed this document");
  return __meta__.hash;
}
