// A board that follows the league.
import type { Client, CombinedError } from "@urql/core";
import type { BoardKind, BoardQuery as Answer } from "./gql/graphql";
import { BoardQuery, BoardsChangedSubscription } from "./operations";

export type Place = Answer["board"]["places"]["nodes"][number];

const LONGEST_WAIT = 30;

/** Read a board, and again whenever it may have moved. Returns what ends it. */
export function follow(client: Client, kind: BoardKind, show: (places: Place[]) => void): () => void {
  let heard: string | undefined; // the position of the last message
  let wanted: string | undefined; // the position to read next
  let isReading = false;
  let ended = false;

  async function read(position: string): Promise<void> {
    wanted = position;
    if (isReading) return; // the one that reads now reads on
    isReading = true;
    for (let tries = 0; wanted !== undefined && !ended; ) {
      const reading: string = wanted;
      const { data, error } = await client.query(BoardQuery, { kind, position: reading });
      if (data && !error) {
        show(data.board.places.nodes);
        tries = 0;
        if (wanted === reading) wanted = undefined;
      } else {
        await seconds(wait(error, tries++));
      }
    }
    isReading = false;
  }

  // The socket connects again by itself; the first message then tells where the league is. Each message names the
  // position of the one before: where that is not the last one that was heard, something was missed, so read again.
  let refused = 0;
  function listen(): () => void {
    const { unsubscribe } = client.subscription(BoardsChangedSubscription, {}).subscribe(({ data, error }) => {
      if (error && !ended) void seconds(wait(error, refused++)).then(() => !ended && (unlisten = listen()));
      if (!data) return;
      const { since, position, boards } = data.boardsChanged;
      if (since !== heard || boards.some((board) => board.kind === kind)) void read(position);
      heard = position;
      refused = 0;
    });
    return unsubscribe;
  }

  let unlisten = listen();
  return () => {
    ended = true;
    unlisten();
  };
}

/** How many seconds to wait before the next try. */
function wait(error: CombinedError | undefined, tries: number): number {
  const told = error?.graphQLErrors[0]?.extensions["retryAfter"];
  return typeof told === "number" ? told : Math.min(2 ** tries, LONGEST_WAIT);
}

function seconds(number: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, number * 1000));
}
