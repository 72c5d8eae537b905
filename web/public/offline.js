// The service worker of a hosted explorer: what was once fetched is there without a network, too. While there is one, it is
// asked first, so that nobody is shown an old page.

const name = "stargram-explorer";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(name);
  try {
    const response = await fetch(request);
    if (response.ok) {
      if (request.mode === "navigate") await forgetOthers(cache, request, response.clone());
      await cache.put(request, response.clone());
    }
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}

/** A page that has changed uses other files: those of the old one are of no more use. */
async function forgetOthers(cache, request, response) {
  const before = await (await cache.match(request))?.text();
  if (before === undefined || before === (await response.text())) return;
  for (const key of await cache.keys()) await cache.delete(key);
}
