// @ts-check
// The service worker: keeps the static files of one version, and shows a page of ours where there is no connection.
// Pages themselves are never kept: a table or a lobby is shown as it is now, or not at all.

/** @typedef {Request & {isHistoryNavigation?: boolean}} Wanted */
/** @typedef {{respondWith(answer: Promise<Response>): void, request: Wanted}} Asked */
/** @typedef {{waitUntil(done: Promise<unknown>): void}} Extendable */

/** What this is registered with: the page for no connection, and the one of all own tables. */
const asked = new URLSearchParams(location.search);
const [OFFLINE, TABLES] = [asked.get("offline") ?? "", asked.get("tables") ?? ""];
const VERSIONED = /^\/static\/v-[0-9a-f]+\//;
const [VERSION] = VERSIONED.exec(location.pathname) ?? ["unversioned"];
/** What the page for no connection is made of. */
const FILES = ["css/tokens.css", "css/base.css", "js/shared/theme.js", "js/shared/retry.js"];
const FIRST = [OFFLINE, ...FILES.map((path) => VERSION + path)];

const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {Extendable} */ event) => {
  const kept = caches.open(VERSION).then((cache) => cache.addAll(FIRST));
  event.waitUntil(kept.then(() => worker.skipWaiting()));
});

worker.addEventListener("activate", (/** @type {Extendable} */ event) => {
  event.waitUntil(forgetOthers().then(() => worker.clients.claim()));
});

worker.addEventListener("fetch", (/** @type {Asked} */ event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (request.method === "GET" && address.origin === location.origin && VERSIONED.test(address.pathname))
    event.respondWith(file(request));
});

worker.addEventListener("notificationclick", (/** @type {Extendable & {notification: Notification}} */ event) => {
  event.notification.close();
  event.waitUntil(toTable(String(event.notification.data ?? "/")));
});

async function forgetOthers() {
  for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
}

/**
 * The page. Whoever goes back to what a form was answered with gets the page at its address: no browser has kept the
 * answer, and none sends a form again unasked.
 *
 * @param {Wanted} request
 */
async function page(request) {
  const sentAgain = request.method !== "GET" && request.isHistoryNavigation;
  try {
    return await (sentAgain ? fetch(request.url, { redirect: "manual" }) : fetch(request));
  } catch {
    return (await caches.match(OFFLINE)) ?? Response.error();
  }
}

/** @param {Request} request */
async function file(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  const fresh = await fetch(request);
  const ours = new URL(request.url).pathname.startsWith(VERSION);
  if (fresh.ok && ours) await (await caches.open(VERSION)).put(request, fresh.clone());
  return fresh;
}

/**
 * Brings the window of the table to the front, be it alone or beside others; opens one where there is none.
 *
 * @param {string} path
 */
async function toTable(path) {
  const windows = await worker.clients.matchAll({ type: "window" });
  const table = windows.find((/** @type {{url: string}} */ each) => new URL(each.url).pathname === path);
  const all = windows.find((/** @type {{url: string}} */ each) => new URL(each.url).pathname === TABLES);
  const found = table?.frameType === "top-level" ? table : (all ?? table);
  return found ? found.focus() : worker.clients.openWindow(path);
}
