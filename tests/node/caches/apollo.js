import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { relayStylePagination } from "@apollo/client/utilities";
import { OperationTypeNode } from "graphql";
import { createClient } from "graphql-ws";
import { choices, isConnection, isList, objects, possibleTypes, withoutId } from "./rules.js";

function fieldPolicy(field) {
  if (isConnection(field)) return relayStylePagination(choices(field)); // join its pages
  if (isList(field)) return { merge: false }; // the new list takes the place of the old one
  return {};
}

const typePolicies = Object.fromEntries(
  objects.map(({ name, fields }) => [
    name,
    {
      ...(withoutId.includes(name) && { keyFields: false, merge: true }),
      fields: Object.fromEntries(fields.map((field) => [field.name, fieldPolicy(field)])),
    },
  ]),
);

export function apolloClient({ address, token }) {
  const headers = { Authorization: `Bearer ${token}` };
  const socket = createClient({ url: address.replace(/^http/, "ws"), connectionParams: headers });
  return new ApolloClient({
    cache: new InMemoryCache({ possibleTypes, typePolicies }),
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(socket),
      new HttpLink({ uri: address, headers }),
    ),
  });
}
