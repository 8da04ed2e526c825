import { createClient } from "graphql-ws";
import { Environment, Network, Observable, RecordSource, Store } from "relay-runtime";
import type { GraphQLResponse, RequestParameters, Variables } from "relay-runtime";

export function relayEnvironment({ address, token }: { address: string; token: string }): Environment {
  const headers = { Authorization: `Bearer ${token}` };
  const socket = createClient({ url: address.replace(/^http/, "ws"), connectionParams: headers });

  async function fetchFunction({ name, text }: RequestParameters, variables: Variables): Promise<GraphQLResponse> {
    const answer = await fetch(address, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ operationName: name, query: text, variables }),
    });
    return answer.json();
  }

  function subscribeFunction({ name, text }: RequestParameters, variables: Variables): Observable<GraphQLResponse> {
    const operation = { operationName: name, query: text ?? "", variables };
    return Observable.create((sink) => socket.subscribe(operation, sink as never));
  }

  return new Environment({
    network: Network.create(fetchFunction, subscribeFunction),
    store: new Store(new RecordSource()),
  });
}
