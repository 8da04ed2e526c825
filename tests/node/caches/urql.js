import { Client, fetchExchange, subscriptionExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { createClient } from "graphql-ws";
import { isConnection, objects, withoutId } from "./rules.js";
import schema from "./schema.json" with { type: "json" };

const keys = Object.fromEntries(withoutId.map((name) => [name, () => null]));

const joined = relayPagination();

/** Joins the pages of a list. A list without arguments has one page, which `relayPagination` does not find. */
function pages(parent, args, cache, info) {
  return Object.keys(args).length > 0 ? joined(parent, args, cache, info) : cache.resolve(info.parentKey, info.fieldName);
}

const resolvers = Object.fromEntries(
  objects.map(({ name, fields }) => [
    name,
    Object.fromEntries(fields.filter(isConnection).map((field) => [field.name, pages])),
  ]),
);

/** Forgets a list with all its filters, orders and pages. Screens that show it ask for it again. */
function forget(cache, name) {
  for (const field of cache.inspectFields("Query").filter(({ fieldName }) => fieldName === name))
    cache.invalidate("Query", name, field.arguments);
}

const updates = { Mutation: { openMatch: (_answer, _args, cache) => forget(cache, "matches") } };

export function urqlClient({ address, token }) {
  const headers = { Authorization: `Bearer ${token}` };
  const socket = createClient({ url: address.replace(/^http/, "ws"), connectionParams: headers });
  return new Client({
    url: address,
    fetchOptions: { headers },
    exchanges: [
      cacheExchange({ schema, keys, resolvers, updates }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query: query ?? "", variables }, sink) }),
        }),
      }),
    ],
  });
}
