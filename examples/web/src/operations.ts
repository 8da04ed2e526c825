// What this client asks. `npm run generate` makes types of it, and the list of documents for the server.
import { graphql } from "./gql";

/** The places of a board, not older than a position of the log. */
export const BoardQuery = graphql(`
  query Board($kind: BoardKind!, $position: BigInt!) @readFrom(afterPosition: $position) {
    board(kind: $kind, includeInactive: true) {
      places(first: 50) {
        nodes { rank shown matches competitorId player { displayName } team { displayName } }
      }
    }
  }
`);

/** Which boards may have moved, and from which position on to read them. */
export const BoardsChangedSubscription = graphql(`
  subscription BoardsChanged {
    boardsChanged { since position boards { kind } }
  }
`);
