// The service worker of a hosted explorer: after the first visit the page, its views and its models are there without a
// network. While there is one, it is asked first, so that nobody is shown an old page. files.js names the files and their
// version; when it changes, browsers install this anew.

importScripts("files.js");

const { files, version } = self.site;
const name = `stargram-explorer-${version}`;

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(fill());
});
addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([forgetOthers(), clients.claim()]));
});
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  event.respondWith(answer(request));
});

async function fill() {
  const cache = await caches.open(name);
  // The browser may keep an older page of that address: it is to ask whether it is still the newest.
  await cache.addAll(["./", ...files].map((file) => new Request(file, { cache: "no-cache" })));
}

/** A site that has changed uses other files: those of the old one are of no more use. */
async function forgetOthers() {
  for (const key of await caches.keys()) {
    if (key.startsWith("stargram-explorer") && key !== name) await caches.delete(key);
  }
}

async function answer(request) {
  const cache = await caches.open(name);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}
