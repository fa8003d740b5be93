// Keyboard shortcuts, the list of them, and buttons that copy a text. Every page works without this file.
{
  /** @typedef {{keys: string, text: string, href: string}} Shortcut */

  /** @returns {Pick<Shortcut, 'keys' | 'text'>[]} the keys of the page that are no links, which it names with data-keys */
  function named() {
    return [...document.querySelectorAll('[data-keys]')].map((part) => ({
      keys: part.getAttribute('data-keys') ?? '', text: part.getAttribute('data-label') ?? '',
    }));
  }

  /** @returns {Shortcut[]} the shortcuts that the page's links declare with data-key */
  function shortcuts() {
    return [...document.querySelectorAll('a[data-key]')].map((link) => ({
      keys: link.getAttribute('data-key') ?? '',
      text: (link.getAttribute('data-label') ?? link.textContent ?? '').trim(),
      href: /** @type {HTMLAnchorElement} */ (link).href,
    }));
  }

  /** @param {EventTarget | null} target */
  function isTyping(target) {
    return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
  }

  function help() {
    const dialog = document.querySelector('#shortcuts');
    if (!(dialog instanceof HTMLDialogElement) || dialog.open) return;
    const list = dialog.querySelector('dl');
    if (!list) return;
    list.replaceChildren();
    for (const { keys, text } of [...shortcuts(), ...named(), { keys: '⌘ K', text: 'Find' }, { keys: '/', text: 'Search or filter' }, { keys: '?', text: 'This list' }]) {
      const term = document.createElement('dt');
      for (const key of keys.split(' ')) {
        const cap = document.createElement('kbd');
        cap.textContent = key;
        term.append(cap, ' ');
      }
      const meaning = document.createElement('dd');
      meaning.textContent = text;
      list.append(term, meaning);
    }
    dialog.showModal();
  }

  let prefix = '';
  let since = 0;

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key !== 'Escape' && document.querySelector('[data-shortcuts-off]')) return;
    const now = event.timeStamp; // of the key, not of a busy page
    const pressed = prefix && now - since < 1500 ? `${prefix} ${event.key}` : event.key;
    prefix = '';
    if (pressed === '?') {
      help();
    } else if (pressed === '/') {
      const field = document.querySelector('[data-search]');
      if (!(field instanceof HTMLElement)) return;
      field.focus();
    } else if (pressed === 'Escape') {
      document.querySelectorAll('details.menued[open]').forEach((menu) => menu.removeAttribute('open'));
      return;
    } else if (pressed === 'g') {
      prefix = 'g';
      since = now;
      return;
    } else {
      const found = shortcuts().find(({ keys }) => keys === pressed);
      if (!found) return;
      location.assign(found.href);
    }
    event.preventDefault();
  });

  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    document.querySelectorAll('details.menued[open]').forEach((menu) => {
      if (!menu.contains(/** @type {Element} */ (event.target))) menu.removeAttribute('open');
    });
    if (event.target.closest('[data-shortcuts]')) help();
    if (event.target.closest('[data-dismiss]')) event.target.closest('.notice')?.remove();
  });

  document.addEventListener('change', (event) => {
    const field = event.target;
    if (field instanceof HTMLSelectElement && field.matches('[data-submit]')) field.form?.requestSubmit();
  });

  // A confirmation leaves after eight seconds in which nobody points at it or has its button in focus.
  document.querySelectorAll('[data-toast]').forEach((toast) => {
    let rest = 8;
    const timer = setInterval(() => {
      if (toast.matches(':hover, :focus-within') || document.hidden) return;
      rest -= 1;
      if (rest > 0) return;
      clearInterval(timer);
      toast.remove();
    }, 1000);
  });

  // A button says how many boxes of a name are checked.
  for (const button of document.querySelectorAll('[data-counts]')) {
    const boxes = [...document.querySelectorAll(`input[name="${button.getAttribute('data-counts')}"]`)];
    const label = button.querySelector('span');
    const none = label?.textContent ?? '';
    document.addEventListener('change', () => {
      const checked = boxes.filter((box) => box instanceof HTMLInputElement && box.checked).length;
      const text = checked === 1 ? button.getAttribute('data-one') : button.getAttribute('data-many');
      if (label) label.textContent = checked === 0 ? none : (text ?? none).replace('#', String(checked));
    });
  }

  navigator.serviceWorker?.register('/service-worker.js').catch(() => {}); // without it, the application is only not installable

  // Finding: a dialog that asks the page of the same address while a person types.
  const found = document.querySelector('#find');
  const find = found instanceof HTMLDialogElement ? found : undefined;
  const words = find?.querySelector('input');
  function openFind() {
    if (!find || find.open) return;
    find.showModal();
    words?.dispatchEvent(new Event('search'));
  }
  document.addEventListener('click', (event) => {
    if (event.target === find) find?.close(); // beside its content
    if (!(event.target instanceof Element) || !event.target.closest('[data-find]')) return;
    event.preventDefault();
    openFind();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    openFind();
  });
  find?.addEventListener('keydown', (event) => {
    /** @type {HTMLAnchorElement[]} */
    const links = [...find.querySelectorAll('.found a')].filter((link) => link instanceof HTMLAnchorElement);
    if (event.key === 'Enter' && event.target === words && links[0]) {
      event.preventDefault();
      links[0].click();
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const next = links.findIndex((link) => link === document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
    (next < 0 ? words : links[Math.min(next, links.length - 1)])?.focus();
  });

  // A slider and its field show the same time, and the nearest video shows its frame.
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const slider = target.matches('.slide') ? target : document.querySelector(`.slide[data-for="${CSS.escape(target.id)}"]`);
    if (!(slider instanceof HTMLInputElement) || !target.id && target !== slider) return;
    const twin = target === slider ? document.getElementById(slider.dataset.for ?? '') : slider;
    if (twin instanceof HTMLInputElement) twin.value = target.value;
    /** @type {HTMLElement | null} */
    let around = slider.parentElement;
    while (around && !around.querySelector('[data-video]')) around = around.parentElement;
    const video = around?.querySelector('[data-video]');
    const time = Number(target.value.replace(',', '.'));
    if (!(video instanceof HTMLVideoElement) || Number.isNaN(time)) return;
    video.pause();
    video.currentTime = time;
  });

  customElements.define('copy-text', class extends HTMLElement {
    connectedCallback() {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'secondary small';
      button.textContent = 'Copy';
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(this.getAttribute('text') ?? '');
        button.textContent = 'Copied';
        setTimeout(() => { button.textContent = 'Copy'; }, 2000);
      });
      this.replaceChildren(button);
    }
  });
}
