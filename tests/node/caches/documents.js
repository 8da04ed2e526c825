// The operations that both clients are tried with.
export const matches = `
  query Matches($after: String) {
    matches(first: 2, after: $after, filter: { mode: ONE_ON_ONE }) {
      edges { cursor node { id matchId sides { number players { id name } } } }
      pageInfo { hasNextPage endCursor }
    }
  }`;

export const sheet = `
  query Sheet($match: ID!) { match(id: $match) { id status hands { id number points } } }`;

export const board = `
  query Board($after: String) {
    board(kind: ONE_ON_ONE) {
      id
      places(first: 3, after: $after) {
        edges { cursor node { id rank shown player { id name } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`;

export const boardAfter = board.replace(
  "Board($after: String)",
  "BoardAfter($after: String, $position: BigInt!) @readFrom(afterPosition: $position)",
);

// Two screens with one list, which select different fields of its rows.
const rows = (head, fields) => `
  query ${head} { board(kind: GLOBAL) { id places(first: 5) { edges { cursor node { id ${fields} } } } } }`;
export const counts = rows("Counts", "competitorId matches");
export const players = rows(
  "Players($position: BigInt!) @readFrom(afterPosition: $position)",
  "matches player { id name }",
);

export const wins = `query Wins { player(id: "ana") { id statistics { matches wins } } }`;

export const hands = `query Hands { player(id: "ana") { id statistics { matches handsWon } } }`;

export const renamePlayer = `
  mutation RenamePlayer($input: RenamePlayerInput!) {
    renamePlayer(input: $input) {
      ... on PlayerSuccess { position player { id name } }
      ... on UserError { code message }
    }
  }`;

export const recordHand = `
  mutation RecordHand($input: RecordHandInput!) {
    recordHand(input: $input) {
      ... on MatchSuccess { position match { id status hands { id number points } } }
      ... on UserError { code message }
    }
  }`;

export const correctHand = `
  mutation CorrectHand($input: CorrectHandInput!) {
    correctHand(input: $input) {
      ... on MatchSuccess { position match { id status } hand { id points } }
      ... on UserError { code message }
    }
  }`;

export const matchChanged = `
  subscription MatchChanged($match: ID!) { matchChanged(match: $match) { id status hands { id number points } } }`;

export const openMatch = `
  mutation OpenMatch($input: OpenMatchInput!) {
    openMatch(input: $input) {
      ... on MatchSuccess { position match { id } }
      ... on UserError { code message }
    }
  }`;

export const recordResult = `
  mutation RecordResult($input: RecordResultInput!) {
    recordResult(input: $input) {
      ... on MatchSuccess { position match { id } }
      ... on UserError { code message }
    }
  }`;

export const seasons = `query Seasons { seasons { totalCount } }`;
