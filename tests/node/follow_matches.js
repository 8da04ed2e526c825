// Follows the matches of a league.
import { createClient } from "graphql-ws";

const MATCHES = `subscription ($after: BigInt) {
  matchesChanged(after: $after) { position match { matchId status score } }
}`;

/** Calls `show` with each new or changed match, and `readAgain` where changes cannot be named one by one. */
export function followMatches({ url, newToken, show, readAgain }) {
  let position = null; // from now on
  const client = createClient({
    url,
    // Called for each connection: a token that has expired is replaced by a new one.
    connectionParams: async () => ({ Authorization: `Bearer ${await newToken()}` }),
    retryAttempts: Infinity,
    shouldRetry: () => true,
  });
  // The client reads the variables each time that it subscribes: after a break it goes on where it was.
  const variables = { get after() { return position; } };
  const subscribe = () => client.subscribe({ query: MATCHES, variables }, {
    next: ({ data, errors }) => {
      if (errors?.[0].extensions.code === "RESYNC") position = null;
      if (!data) return;
      if (position === null) readAgain();
      position = data.matchesChanged.position;
      if (data.matchesChanged.match) show(data.matchesChanged.match);
    },
    error: () => setTimeout(subscribe, 1000),
    complete: () => setTimeout(subscribe, 1000), // a subscription ends after an error
  });
  subscribe();
  return client;
}
