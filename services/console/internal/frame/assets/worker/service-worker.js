// Keeps the shell of the application on the device: the files that every page loads, and the page that says that there is no
// connection. No page of a workspace is kept. Files that another application shares wait in a cache until the composer takes them.
const shell = __SHELL__;
const version = 'shell-__VERSION__';
const shared = 'shared';

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(version).then((cache) => cache.addAll(shell)).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== version && name !== shared) await caches.delete(name);
    await self.registration.navigationPreload?.enable();
    await self.clients.claim();
  })());
});

/** Shows a message. A repeated one replaces the first, because both have the same ID. */
self.addEventListener('push', (event) => {
  const { id, title, text, link } = event.data?.json() ?? {};
  event.waitUntil(self.registration.showNotification(title ?? 'Fencepost', {
    body: text ?? '', tag: id ?? '', icon: '__ICON__', data: { link: link ?? '/' },
  }));
});

/** Opens what a message is about, in a tab of the application if there is one. */
async function open(link) {
  const target = new URL(link, self.location.origin);
  const address = target.origin === self.location.origin ? target.href : '/';
  for (const tab of await self.clients.matchAll({ type: 'window' })) {
    const shown = await tab.navigate(address).catch(() => null);
    if (shown) return shown.focus();
  }
  return self.clients.openWindow(address);
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.link));
});

/** Puts the files of a share into the cache and leads to the composer with its texts. */
async function share(request) {
  const form = await request.formData();
  const query = new URLSearchParams();
  for (const name of ['title', 'text', 'url']) if (form.get(name)) query.set(name, form.get(name));
  const files = form.getAll('files').filter((file) => file instanceof File);
  await caches.delete(shared);
  const cache = await caches.open(shared);
  for (const [i, file] of files.entries()) {
    const headers = { 'Content-Type': file.type, 'X-Name': encodeURIComponent(file.name) };
    await cache.put(`/shared/${i}`, new Response(file, { headers }));
  }
  if (files.length > 0) query.set('files', String(files.length));
  return Response.redirect(`/share?${query}`, 303);
}

async function page(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match('/offline')) ?? Response.error();
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.method === 'POST' && url.pathname === '/share') {
    event.respondWith(share(request));
  } else if (request.mode === 'navigate' && request.method === 'GET') {
    event.respondWith(page(event));
  } else if (shell.includes(url.pathname) && request.method === 'GET') {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  }
});
