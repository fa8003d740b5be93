// The inbox: who answers is shown to others, the counter, saved texts, keys, and the end of the time to answer. The pages work
// without this file.
{
  const claimEvery = 30_000;
  const mac = navigator.userAgent.includes('Mac');

  /** @returns {HTMLFormElement | null} */
  const form = () => document.querySelector('form#reply');
  /** @returns {HTMLTextAreaElement | null} */
  const field = () => document.querySelector('#reply textarea');
  /** @returns {HTMLButtonElement | null} */
  const send = () => document.querySelector('#reply [data-send]');
  const draft = () => `inbox-draft:${form()?.dataset.draft ?? ''}`;

  /** Counts the characters that are left, as the server counts them. */
  function count() {
    const left = document.querySelector('#left');
    const text = field();
    if (!(left instanceof HTMLElement) || !text) return;
    const rest = Number(left.dataset.longest) - [...text.value.trim()].length;
    const many = Math.abs(rest).toLocaleString('en');
    left.textContent = rest < 0 ? `${many} characters too many` : `${many} characters`;
    left.classList.toggle('fault', rest < 0);
  }

  /** @param {Element | null} part with the milliseconds that were left when it was written. @returns {boolean} */
  function isOver(part) {
    if (!(part instanceof HTMLElement)) return false;
    part.dataset.end ??= String(Date.now() + Number(part.dataset.left));
    return Number(part.dataset.end) <= Date.now();
  }

  /** Lets the person answer while the time to answer is not over, and shows nobody whose claim is over. */
  function clocks() {
    const over = isOver(document.querySelector('#banner .until')) || document.querySelector('#banner .silent') !== null;
    const button = send();
    const reason = document.querySelector('#closed');
    if (button && reason instanceof HTMLElement) {
      button.disabled = over;
      reason.hidden = !over;
      if (over) button.setAttribute('aria-describedby', 'closed');
      else button.removeAttribute('aria-describedby');
    }
    for (const part of document.querySelectorAll('.claimed[data-left]')) {
      if (part instanceof HTMLElement) part.hidden = isOver(part);
    }
  }

  let claimed = -Infinity;
  function claim() {
    const address = form()?.dataset.claim;
    if (!address || send()?.disabled || performance.now() - claimed < claimEvery) return;
    claimed = performance.now();
    fetch(address, { method: 'POST' }).catch(() => {}); // others do not see it, and the answer is checked when it is sent
  }

  document.addEventListener('input', ({ target }) => {
    const text = field();
    if (!text || target !== text) return;
    count();
    sessionStorage.setItem(draft(), text.value);
    if (text.value.trim() !== '') claim();
  });

  /** Shows a value in the preview of its template. @param {EventTarget | null} target */
  function preview(target) {
    if (!(target instanceof HTMLInputElement) || !target.dataset.slot) return;
    for (const part of document.querySelectorAll('[data-template] [data-of]')) {
      if (!(part instanceof HTMLElement) || part.dataset.of !== target.dataset.slot) continue;
      part.textContent = target.value.trim().replace(/\s+/g, ' ') || (part.dataset.blank ?? '');
    }
  }

  document.addEventListener('input', ({ target }) => preview(target));

  document.addEventListener('submit', (event) => {
    if (event.target === form()) sessionStorage.removeItem(draft());
  });

  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    const saved = target.closest('[data-insert]');
    const text = field();
    if (!(saved instanceof HTMLElement) || !text) return;
    saved.closest('details')?.removeAttribute('open');
    text.focus();
    text.setRangeText(saved.dataset.insert ?? '', text.selectionStart, text.selectionEnd, 'end');
    text.dispatchEvent(new Event('input', { bubbles: true }));
  });

  /** @returns {HTMLAnchorElement[]} */
  const rows = () => [...document.querySelectorAll('a[data-row]')].filter((row) => row instanceof HTMLAnchorElement);

  /** @param {number} by */
  function step(by) {
    const list = rows();
    const open = list.findIndex((row) => row.matches('[aria-current]'));
    const at = open >= 0 ? open : list.findIndex((row) => row === document.activeElement);
    const next = list[at < 0 ? 0 : at + by];
    if (!next) return;
    if (open >= 0) location.assign(next.href);
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  }

  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.altKey) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && target === field()) {
      event.preventDefault();
      const button = send();
      if (button && !button.disabled) button.click();
      else if (!button) form()?.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || document.querySelector('[data-shortcuts-off], dialog[open]')) return;
    if (target.matches('input, textarea, select, [contenteditable]')) return;
    if (event.key === 'j') step(1);
    else if (event.key === 'k') step(-1);
    else if (event.key === 'r' && field()) field()?.focus();
    else if (event.key === 'e') {
      const close = document.querySelector('[data-close]');
      if (!(close instanceof HTMLElement)) return;
      close.click();
    } else return;
    event.preventDefault();
  });

  document.addEventListener('htmx:afterSwap', clocks);
  setInterval(clocks, 1000);

  document.querySelectorAll('[data-texts][hidden]').forEach((part) => part.removeAttribute('hidden'));
  for (const cap of document.querySelectorAll('[data-send] kbd')) if (mac) cap.textContent = '⌘ Enter';
  const text = field();
  if (text && text.value === '') text.value = sessionStorage.getItem(draft()) ?? '';
  count();
  clocks();
  // A phone shows the end of the conversation, with the form.
  if (matchMedia('(max-width: 720px)').matches && text) document.querySelector('#reply')?.scrollIntoView({ block: 'end' });
}
