// The time of play: this device's clock, corrected by the server's if the two are far apart.

const PLACE = "league-clock"; // milliseconds that the server is ahead
const FAR = 10_000; // milliseconds of difference from which on the device's clock is wrong: an answer takes some time, too
const SLOW = 5_000; // milliseconds after which an answer is too slow to tell the time

/** Learns the server's time from an answer. `asked`: when it was asked for, in milliseconds. */
export function learn(response, asked) {
  const date = Date.parse(response.headers.get("Date") ?? "");
  const now = Date.now();
  if (Number.isNaN(date) || now - asked > SLOW) return;
  const ahead = date - now;
  try {
    if (Math.abs(ahead) > FAR) localStorage.setItem(PLACE, String(ahead));
    else localStorage.removeItem(PLACE);
  } catch { /* the device stores nothing: then its own clock counts */ }
}

/** Asks the server for the time. */
export async function ask(address) {
  const asked = Date.now();
  const response = await fetch(address, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (response !== null) learn(response, asked);
}

/** The present time, as `2026-11-22T21:30:00.000Z`. */
export function now() {
  let ahead = 0;
  try {
    ahead = Number(localStorage.getItem(PLACE) ?? 0);
  } catch { /* as above */ }
  return new Date(Date.now() + ahead).toISOString();
}
