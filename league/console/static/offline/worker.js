// The service worker: keeps the scorekeeper's pages on the device and shows them where there is no connection.
//
// The server puts `release` before this text: its version, the files to keep, and addresses. With a connection every page is the
// server's; this only reads along. What has been recorded and not sent is no concern of it: see `offline.js`.

const { version, files, instead, forget } = self.release;
const FILES = `league-files-${version}`;
const PAGES = "league-pages-"; // then the version, a space and the person
const STAMP = "X-Stamp";
const PATIENCE = 4_000; // milliseconds for the server, before a page that is kept is shown

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(FILES).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

const pagesOf = (person) => `${PAGES}${version} ${person}`;
const kept = async () => (await caches.keys()).filter((name) => name.startsWith(PAGES));

/** The pages that are kept, of whichever release: those of an older one stay until this one has its own. */
const copyOf = (address) => caches.match(address, { ignoreVary: true });

async function dropAll(except = null) {
  for (const name of await kept()) if (name !== except) await caches.delete(name);
}

const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };
const escaped = (text) => text.replace(/[&<>"']/g, (one) => ESCAPED[one]);

/** Keeps a page, if it is one of this person, together with the files that it names. */
async function keep(cache, address, response, person, stamp) {
  const text = await response.text();
  if (response.status !== 200 || !text.includes(`data-signed-in="${escaped(person)}"`)) return false;
  const headers = new Headers(response.headers);
  for (const name of ["Vary", "Content-Encoding", "Content-Length"]) headers.delete(name);
  headers.set(STAMP, stamp);
  const all = await caches.open(FILES);
  for (const [, file] of text.matchAll(/(?:src|href)="([^"]*\/static\/[^"]+)"/g)) {
    if (!(await all.match(file))) await all.add(file);
  }
  const marked = text.replace("<body ", `<body data-copied="${new Date().toISOString()}" `);
  await cache.put(address, new Response(marked, { headers }));
  return true;
}

/**
 * Keeps the pages of a list, `[address, stamp]` each: asks for those that have changed. `isAll`: no others are needed.
 * Answers `{ isDone, after }`: after how many seconds the server wants to be asked for the rest, if it said so.
 */
async function keepPages({ person, pages, isAll }) {
  const own = pagesOf(person);
  const cache = await caches.open(own);
  for (const [address, stamp] of pages) {
    const before = await cache.match(address);
    if (before?.headers.get(STAMP) === stamp) continue;
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    if (response.status === 429) return { isDone: false, after: response.headers.get("Retry-After") ?? 60 };
    if (response.status >= 500) return { isDone: false };
    if (!(await keep(cache, address, response, person, stamp))) await cache.delete(address);
  }
  if (isAll) {
    const listed = new Set(pages.map(([address]) => new URL(address, location.href).href));
    for (const request of await cache.keys()) if (!listed.has(request.url)) await cache.delete(request);
    await dropAll(own);
    for (const name of await caches.keys()) if (name.startsWith("league-files-") && name !== FILES) await caches.delete(name);
  }
  return { isDone: true };
}

self.addEventListener("message", (event) => {
  const { type, ...asked } = event.data;
  if (type === "keep") {
    event.waitUntil(keepPages(asked).catch(() => ({ isDone: false })).then((done) => event.ports[0]?.postMessage(done)));
  } else if (type === "person") {
    // Somebody else has signed in: what was kept is not theirs.
    event.waitUntil(kept().then((names) => Promise.all(
      names.filter((name) => name.slice(name.indexOf(" ") + 1) !== asked.person).map((name) => caches.delete(name)),
    )));
  }
});

const isAway = (response) => response.status >= 502 && response.status <= 504;

async function page(event) {
  const copy = await copyOf(event.request.url);
  try {
    // Only until the answer begins: a page that comes slowly is let come.
    const late = new AbortController();
    const timer = copy ? setTimeout(() => late.abort(), PATIENCE) : undefined;
    const response = await fetch(event.request, { signal: late.signal }).finally(() => clearTimeout(timer));
    if (copy && isAway(response)) return copy;
    if (copy && response.status === 200) event.waitUntil(renew(event.request.url, response.clone()));
    return response;
  } catch (error) {
    return copy ?? (await copyOf(instead)) ?? Response.error();
  }
}

/** The stamp that a page gives itself in its list; none where it does not. */
function stampIn(text, address) {
  const [, rest = ""] = text.split(`[&#34;${new URL(address).pathname}&#34;, &#34;`, 2);
  return rest.split("&#34;", 1)[0];
}

/** The page has come anew: so has its copy. */
async function renew(address, response) {
  const text = await response.clone().text();
  for (const name of await kept()) {
    const cache = await caches.open(name);
    if (!(await cache.match(address))) continue;
    await keep(cache, address, response.clone(), name.slice(name.indexOf(" ") + 1), stampIn(text, address));
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.method === "POST" && forget.some((path) => pathname.startsWith(path))) event.waitUntil(dropAll());
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (pathname.includes("/static/")) event.respondWith(copyOf(request.url).then((file) => file ?? fetch(request)));
});
