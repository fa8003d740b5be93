// Keeps the form on the device until the service has it: without a connection, or when the session has ended, nothing is lost.

/** @typedef {{body: string, scratch: string, at: number}} Kept */

const prefix = 'composer:';
const settled = 10_000; // milliseconds after which no other tab is still sending it

/**
 * @param {HTMLFormElement} form
 * @param {(after?: number) => void} edited tells that the form is to be sent again
 */
export function keep(form, edited) {
  const place = `${prefix}${form.getAttribute('data-person')}:${form.getAttribute('data-base')}:`;
  const save = form.getAttribute('hx-post') ?? '';
  let held = '';

  const scratch = () => form.querySelector('#kept')?.getAttribute('data-scratch') ?? '';

  /** Puts the form on the device. */
  function hold() {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value);
    held = place + scratch();
    try {
      localStorage.setItem(held, JSON.stringify({ body: body.toString(), scratch: scratch(), at: Date.now() }));
    } catch { /* the device keeps nothing: full, or switched off */ }
  }

  function forget() {
    if (held) localStorage.removeItem(held);
    held = '';
  }

  form.addEventListener('htmx:beforeRequest', (event) => { if (event.target === form) hold(); });
  form.addEventListener('htmx:afterRequest', (event) => {
    if (event.target !== form || !(event instanceof CustomEvent) || !event.detail.successful) return;
    if (!event.detail.xhr.getResponseHeader('HX-Redirect')) forget();
  });

  /** Sends what earlier pages could not send. @param {string} name @param {Kept} kept */
  async function deliver(name, kept) {
    const response = await fetch(save, { method: 'POST', body: new URLSearchParams(kept.body), headers: { 'HX-Request': 'true' } });
    if (!response.ok || response.headers.has('HX-Redirect')) return;
    localStorage.removeItem(name);
    const stored = /id="kept"[^>]*data-scratch="([^"]+)"/.exec(await response.text())?.[1];
    if (!stored) return;
    if (stored === scratch()) {
      location.reload();
      return;
    }
    const note = document.createElement('p');
    note.className = 'callout';
    note.setAttribute('role', 'status');
    const link = document.createElement('a');
    link.href = `?scratch=${stored}`;
    link.textContent = 'Open it';
    note.append('What was kept on this device is saved now. ', link);
    form.querySelector('.notices')?.append(note);
  }

  function deliverAll() {
    let young = false;
    for (const name of Object.keys(localStorage)) {
      if (!name.startsWith(place) || name === held) continue;
      try {
        /** @type {Kept} */
        const kept = JSON.parse(localStorage.getItem(name) ?? '');
        if (Date.now() - kept.at > settled) deliver(name, kept).catch(() => {});
        else young = true;
      } catch {
        localStorage.removeItem(name);
      }
    }
    if (young) setTimeout(deliverAll, settled);
  }

  deliverAll();
  addEventListener('online', () => {
    deliverAll();
    if (held) edited(0);
  });

  return {
    forget,
    /** Says what happened to a text that could not be sent. */
    says: () => (navigator.onLine ? 'Not saved yet: kept on this device' : 'You are offline: kept on this device'),
  };
}
