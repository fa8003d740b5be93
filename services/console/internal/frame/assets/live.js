// Keeps what a page shows up to date. One stream per visible tab reports what changed; elements with data-follow are
// then fetched again by htmx. Every page works without this file.
{
  /** @typedef {{posts?: string[], channels?: string[], approvals?: string[], media?: string[], leads?: string[], conversations?: string[], all?: boolean}} Changes */

  const app = document.querySelector('[data-live]');
  const address = new URL(app?.getAttribute('data-live') ?? '', location.href);
  const silence = 40_000; // the server sends a beat every 15 seconds
  const pause = 30_000; // after a refusal
  // The stream names the conversations that changed in the last five seconds. A page that is older has missed others.
  const recent = 4000;

  /** @type {EventSource | undefined} */
  let source;
  let heard = Date.now();
  let ended = false;
  /** @type {Set<string>} */
  const stale = new Set();
  let running = false;

  /** @param {Changes} changes */
  function topics({ posts = [], channels = [], approvals = [], media = [], leads = [], conversations = [], all = false }) {
    const found = new Set(all ? ['posts', 'channels', 'approvals', 'media', 'leads', 'conversations'] : []);
    if (media.length > 0) found.add('media');
    const named = { post: posts, channel: channels, approval: approvals, lead: leads, conversation: conversations };
    for (const [name, ids] of Object.entries(named)) {
      if (ids.length > 0) found.add(`${name}s`);
      for (const id of ids) found.add(`${name}:${id}`);
    }
    return { found, all };
  }

  /** @param {Element} element */
  function inUse(element) {
    const focused = document.activeElement;
    if (element.querySelector('details[open]:not(.tech), dialog[open], .lift')) return true; // .lift: it is being moved
    if (focused && element.contains(focused) && focused.matches('input, textarea, select')) return true;
    return [...element.querySelectorAll('textarea, input')].some((field) => {
      if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
      if (!(field instanceof HTMLInputElement)) return false;
      return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
    });
  }

  const focusable = 'a[href], button, summary, input, select, textarea, [tabindex]';

  /** @param {Element} element names an element of a part by its id, or by what it does */
  function nameOf(element) {
    const form = element.closest('form');
    return element.id || [
      element.localName, element.getAttribute('href'), element.getAttribute('name'),
      element.getAttribute('formaction') ?? form?.getAttribute('action'), element.textContent?.trim(),
    ].join('|');
  }

  /**
   * Remembers what a person does in an element that is about to be replaced: the focus, and which details are open.
   * @param {Element} element
   */
  function remember(element) {
    const focused = document.activeElement;
    const name = focused && element.contains(focused) ? nameOf(focused) : undefined;
    const open = [...element.querySelectorAll('details.tech[open]')].map((details) => details.id);
    return () => {
      const now = document.getElementById(element.id);
      if (!now) return;
      open.forEach((id) => document.getElementById(id)?.setAttribute('open', ''));
      if (name === undefined || now.contains(document.activeElement)) return;
      const same = [...now.querySelectorAll(focusable)].find((other) => nameOf(other) === name) ?? now;
      if (!(same instanceof HTMLElement)) return;
      if (same === now) same.tabIndex = -1; // it is gone: the person goes on from the top of the part
      same.focus({ preventScroll: true });
    };
  }

  /** @type {(() => void) | undefined} */
  let restore;

  /** Fetches the elements that are stale, except those that somebody is using. */
  function refresh() {
    if (running || document.hidden) return;
    for (const id of stale) {
      const element = document.getElementById(id);
      if (element && inUse(element)) continue;
      stale.delete(id);
      if (element) {
        running = true;
        element.dispatchEvent(new CustomEvent('live'));
      }
    }
  }

  /** @param {MessageEvent<string>} event */
  function changed(event) {
    heard = Date.now();
    if (event.lastEventId) address.searchParams.set('after', event.lastEventId);
    const { found, all } = topics(JSON.parse(event.data));
    for (const element of document.querySelectorAll('[data-follow]')) {
      const follows = (element.getAttribute('data-follow') ?? '').split(' ');
      if (all || follows.some((topic) => found.has(topic))) stale.add(element.id);
    }
    // Viewers of the same page do not all ask at once.
    setTimeout(refresh, Math.random() * 300);
  }

  function close() {
    source?.close();
    source = undefined;
  }

  function open() {
    if (source || ended || document.hidden || !app || !document.querySelector('[data-follow]')) return;
    heard = Date.now();
    source = new EventSource(address);
    source.addEventListener('change', changed);
    source.addEventListener('hello', () => {
      heard = Date.now();
      if (performance.now() < recent) return;
      for (const element of document.querySelectorAll('[data-follow*="conversation"]')) stale.add(element.id);
      refresh();
    });
    source.addEventListener('beat', () => { heard = Date.now(); });
    source.addEventListener('goodbye', () => {
      ended = true; // signed out, or no longer a member: the next page says so
      close();
    });
    source.addEventListener('error', () => {
      if (source?.readyState !== EventSource.CLOSED) return; // the browser connects again
      close();
      setTimeout(open, pause + Math.random() * pause);
    });
  }

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close(); // browsers open few connections to a server over HTTP/1.1
    else {
      open();
      refresh();
    }
  });
  addEventListener('pagehide', close);
  addEventListener('pageshow', open);
  document.addEventListener('focusout', () => setTimeout(refresh));
  document.addEventListener('toggle', () => setTimeout(refresh), true);
  // A person may have begun to type after refresh checked.
  document.addEventListener('htmx:beforeSwap', (event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    if (detail.requestConfig.triggeringEvent?.type !== 'live') return;
    if (inUse(detail.target)) {
      detail.shouldSwap = false;
      stale.add(detail.target.id);
    } else {
      restore = remember(detail.target);
    }
  });
  document.addEventListener('htmx:afterRequest', () => {
    running = false;
    restore?.();
    restore = undefined;
    if (stale.size > 0) setTimeout(refresh, 1000);
  });
  setInterval(() => { // a computer that slept does not notice that its connection is lost
    if (source && Date.now() - heard > silence) {
      close();
      open();
    }
  }, 5000);
  open();
}
