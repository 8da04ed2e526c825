// The service worker: caches the scorekeeper's pages on the device, and shows them when there is no connection.
//
// The server puts `release` before this text: its version, the files to cache, and addresses. With a connection every page comes
// from the server, and this only copies it. Unsent entries are the business of `offline.js`.

const { version, files, instead, forget } = self.release;
const FILES = `league-files-${version}`;
const PAGES = "league-pages-"; // then the version, a space and the person
const STAMP = "X-Stamp";
const PATIENCE = 4_000; // milliseconds for the server, before a cached page is shown

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(FILES).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

const pagesOf = (person) => `${PAGES}${version} ${person}`;
const pageCaches = async () => (await caches.keys()).filter((name) => name.startsWith(PAGES));

/** The cached page of any release: pages of an older release stay until this one has its own. */
const copyOf = (address) => caches.match(address, { ignoreVary: true });

async function dropAll(except = null) {
  for (const name of await pageCaches()) if (name !== except) await caches.delete(name);
}

const ESCAPED = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };
const escaped = (text) => text.replace(/[&<>"']/g, (one) => ESCAPED[one]);

/** Caches a page, if it was made for this person, together with the files that it names. Answers whether it did. */
async function cachePage(cache, address, response, person, stamp) {
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
 * Caches the pages of a list, each `[address, stamp]`: fetches those whose stamp has changed. `isAll`: drop all other pages.
 * Answers `{ isDone, after }`: `after` how many seconds to fetch the rest, if the server limited requests.
 */
async function cachePages({ person, pages, isAll }) {
  const own = pagesOf(person);
  const cache = await caches.open(own);
  for (const [address, stamp] of pages) {
    const before = await cache.match(address);
    if (before?.headers.get(STAMP) === stamp) continue;
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    if (response.status === 429) return { isDone: false, after: response.headers.get("Retry-After") ?? 60 };
    if (response.status >= 500) return { isDone: false };
    if (!(await cachePage(cache, address, response, person, stamp))) await cache.delete(address);
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
    event.waitUntil(cachePages(asked).catch(() => ({ isDone: false })).then((done) => event.ports[0]?.postMessage(done)));
  } else if (type === "person") {
    // Drop the pages of everybody but the person who is signed in now.
    event.waitUntil(pageCaches().then((names) => Promise.all(
      names.filter((name) => name.slice(name.indexOf(" ") + 1) !== asked.person).map((name) => caches.delete(name)),
    )));
  }
});

const isAway = (response) => response.status >= 502 && response.status <= 504;

async function page(event) {
  const copy = await copyOf(event.request.url);
  try {
    // The limit holds only until the answer begins: a page may then take its time.
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

/** The stamp that a page lists for itself; empty if it lists none. */
function stampIn(text, address) {
  const [, rest = ""] = text.split(`[&#34;${new URL(address).pathname}&#34;, &#34;`, 2);
  return rest.split("&#34;", 1)[0];
}

/** Replaces the cached copies of a page that has just been fetched. */
async function renew(address, response) {
  const text = await response.clone().text();
  for (const name of await pageCaches()) {
    const cache = await caches.open(name);
    if (!(await cache.match(address))) continue;
    await cachePage(cache, address, response.clone(), name.slice(name.indexOf(" ") + 1), stampIn(text, address));
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
