// The connection to the league: events of the table come in, moves go out. Lost events are asked for again, lost moves sent again.

const PATIENCE = 2500; // milliseconds without a connection before the page says so
const AGAIN = 1000;
const LONGEST = 15_000; // milliseconds between two tries, however long the league is away

/** Follows a table. `hear` gets each event once and in order; `tell` gets whether there is a connection. */
export function follow(address, { hear, tell, refuse, over }) {
  let stream = null, position = null, waiting = null, pause = AGAIN;

  const isBack = () => {
    clearTimeout(waiting);
    waiting = null;
    pause = AGAIN;
    tell(true);
  };
  const isGone = () => {
    waiting ??= setTimeout(() => tell(false), PATIENCE);
  };
  const later = () => {
    setTimeout(open, pause);
    pause = Math.min(2 * pause, LONGEST);
  };
  const open = () => {
    const url = new URL(address, location.href);
    // When it reconnects, the browser sends the last position by itself. A new stream needs it in the address.
    if (position !== null) url.searchParams.set("after", position);
    stream = new EventSource(url);
    stream.addEventListener("open", isBack);
    stream.addEventListener("message", (event) => {
      position = event.lastEventId;
      hear(JSON.parse(event.data));
    });
    stream.addEventListener("refused", (event) => {
      stream.close();
      const refusal = JSON.parse(event.data);
      if (refusal.code === "RESYNC") position = null;
      else if (refusal.code === "UNKNOWN_ID") return refuse(refusal);
      isGone();
      later();
    });
    stream.addEventListener("over", () => {
      stream.close();
      over();
    });
    stream.addEventListener("error", () => {
      isGone();
      // After an error status the browser does not reconnect by itself.
      if (stream.readyState === EventSource.CLOSED) later();
    });
  };
  open();
  window.addEventListener("pagehide", () => stream.close());
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) open();
  });
}

/** Sends a move until the league has answered. Returns null, or the refusal. A move that is sent twice counts once. */
export async function send(address, values, { slow = () => {}, isStillWanted = () => true } = {}) {
  for (;;) {
    try {
      const response = await fetch(address, { method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(values) });
      if (response.ok) return null;
      if (response.status === 422) return await response.json();
      if (response.status < 500) return { message: await sentenceOf(response) };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // `fetch` throws a TypeError if there is no connection
    }
    slow();
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
    if (!isStillWanted()) return null;
  }
}

/** The message on a page that refuses a request. */
async function sentenceOf(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.querySelector("main p")?.textContent ?? page.title;
}
