// Uses what was generated; the compiler checks it.
import type {
  BoardPageQuery,
  MatchChangedSubscription,
  PreviewQueryVariables,
  RecordHandMutation,
} from "./operations.js";
import type { ErrorCode } from "./schema.js";

export function names(page: BoardPageQuery): (string | null)[] {
  return page.board.places.edges.map(({ node }) => node.player?.displayName ?? null);
}

export function said(answer: RecordHandMutation): string {
  const done = answer.recordHand;
  switch (done.__typename) {
    case "MatchSuccess":
      return done.position;
    case "WrongHandError":
      return `The next hand is ${done.nextHand}.`;
    default:
      return done.message;
  }
}

export function closingTiles(event: MatchChangedSubscription): ([number, number] | null)[] {
  return event.matchChanged.hands.map(hand => hand.closing.tile ?? null);
}

export function mayTryAgain(code: ErrorCode): boolean {
  return code === "NOT_YET_PROJECTED" || code === "UNAVAILABLE" || code === "RATE_LIMITED";
}

export const nothing: PreviewQueryVariables = { commands: [{ voidMatch: { match: "c-0001", reason: "never played" } }] };

// @ts-expect-error A command has exactly one field.
export const two: PreviewQueryVariables = { commands: [{ voidMatch: { match: "a", reason: "b" }, reopenMatch: { match: "a", reason: "b" } }] };
