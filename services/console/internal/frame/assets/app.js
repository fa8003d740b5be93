// Keyboard shortcuts, the list of them, and buttons that copy a text. Every page works without this file.
{
  /** @typedef {{keys: string, text: string, href: string}} Shortcut */

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
    for (const { keys, text } of [...shortcuts(), { keys: '/', text: 'Search or filter' }, { keys: '?', text: 'This list' }]) {
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
    const now = Date.now();
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
  });

  document.addEventListener('change', (event) => {
    const field = event.target;
    if (field instanceof HTMLSelectElement && field.matches('[data-submit]')) field.form?.requestSubmit();
  });

  // A confirmation leaves after eight seconds in which nobody points at it.
  document.querySelectorAll('[data-toast]').forEach((toast) => {
    let rest = 8;
    const timer = setInterval(() => {
      if (toast.matches(':hover') || document.hidden) return;
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
