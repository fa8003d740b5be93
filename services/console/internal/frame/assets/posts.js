// Keys of the list of posts, the box that selects all, and the link of a post to copy. The pages work without this file.
{
  /** @returns {HTMLElement[]} */
  const rows = () => [...document.querySelectorAll('[data-row]')].filter((row) => row instanceof HTMLElement);

  /** @param {Element} row @returns {HTMLInputElement | null} */
  const boxOf = (row) => row.querySelector(':scope > .box input');

  /** @param {Element} row @returns {HTMLAnchorElement | null} */
  const linkOf = (row) => row.querySelector('.what > a');

  /** @returns {HTMLInputElement[]} */
  const boxes = () => rows().map(boxOf).filter((box) => box !== null);

  /** Says how many posts are selected, and whether all are. A set has several. */
  function count() {
    const chosen = new Set();
    for (const box of document.querySelectorAll('input[name=post][form=selected]:checked')) {
      if (box instanceof HTMLInputElement) for (const id of box.value.split(',')) chosen.add(id);
    }
    const label = document.querySelector('.bulkbar .chosen');
    const text = chosen.size === 1 ? '1 post selected' : `${chosen.size} posts selected`;
    if (label && label.textContent !== text) label.textContent = text;
    const all = document.querySelector('[data-all]');
    if (!(all instanceof HTMLInputElement)) return;
    const checked = boxes().filter((box) => box.checked).length;
    all.checked = checked > 0 && checked === boxes().length;
    all.indeterminate = checked > 0 && !all.checked;
  }

  /** Shows what works only with scripts, on the page and on parts that were fetched again. */
  function ready() {
    document.querySelectorAll('.pickall[hidden], [data-copy-link][hidden]').forEach((part) => part.removeAttribute('hidden'));
    count();
  }

  /** @type {HTMLInputElement | undefined} */
  let last; // box that was clicked

  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element)) return;
    const link = event.target.closest('[data-copy-link]');
    if (link) {
      const words = link.querySelector('span');
      navigator.clipboard.writeText(location.origin + location.pathname).then(() => {
        if (words) words.textContent = 'Copied';
        setTimeout(() => { if (words) words.textContent = 'Copy link'; }, 2000);
      });
    }
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || !box.matches('[data-row] > .box input')) return;
    const list = boxes();
    const [from, to] = [last ? list.indexOf(last) : -1, list.indexOf(box)];
    if (event.shiftKey && from >= 0) {
      for (const one of list.slice(Math.min(from, to), Math.max(from, to) + 1)) one.checked = box.checked;
    }
    last = box;
  });

  document.addEventListener('change', (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement)) return;
    if (box.matches('[data-all]')) for (const one of boxes()) one.checked = box.checked;
    if (box.matches('[data-all], [name=post]')) count();
  });

  /** @param {number} by */
  function step(by) {
    const list = rows();
    const at = list.findIndex((row) => row.contains(document.activeElement));
    const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + by, 0), list.length - 1)];
    const link = next && linkOf(next);
    link?.focus();
    link?.scrollIntoView({ block: 'nearest' });
  }

  document.addEventListener('keydown', (event) => { // before a menu closes, which Escape does first
    if (event.key !== 'Escape' || document.querySelector('details.menued[open], dialog[open]')) return;
    for (const box of document.querySelectorAll('input[name=post][form=selected]:checked')) {
      if (box instanceof HTMLInputElement) box.checked = false;
    }
    count();
  }, true);

  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')) return;
    const hit = document.querySelector(`.decidebar [data-hit="${CSS.escape(event.key)}"]`);
    if (hit instanceof HTMLElement && !document.querySelector('[data-shortcuts-off], dialog[open]')) {
      if (hit instanceof HTMLTextAreaElement) hit.focus();
      else hit.click();
      event.preventDefault();
      return;
    }
    if (rows().length === 0 || document.querySelector('[data-shortcuts-off]')) return;
    const row = document.activeElement?.closest('[data-row]');
    const box = row && boxOf(row);
    if (event.key === 'j') step(1);
    else if (event.key === 'k') step(-1);
    else if (event.key === 'x' && box) {
      box.checked = !box.checked;
      box.dispatchEvent(new Event('change', { bubbles: true }));
    } else if (event.key === 'e' && row) {
      const edit = linkOf(row)?.dataset.edit;
      if (edit) location.assign(edit);
    } else if (event.key === 'm' && row && linkOf(row)?.dataset.move) {
      location.assign(linkOf(row)?.dataset.move ?? '');
    } else return;
    event.preventDefault();
  });

  const place = 'posts-place';
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.id !== 'selected') return;
    const field = document.activeElement;
    const meant = field instanceof HTMLElement && field.dataset.go ? form.querySelector(`button[value="${field.dataset.go}"]`) : null;
    if (event.submitter instanceof HTMLButtonElement && event.submitter.value === '' && meant instanceof HTMLButtonElement) {
      event.preventDefault(); // the Enter key in a field means the button beside it
      setTimeout(() => form.requestSubmit(meant)); // a form is not submitted while it reports a submission
      return;
    }
    const row = document.querySelector('[data-row]:has(> .box input:checked)');
    sessionStorage.setItem(place, String(row instanceof HTMLElement ? rows().indexOf(row) : -1));
  });

  // After an action on selected posts the person goes on where they were.
  const at = Number(sessionStorage.getItem(place) ?? -1);
  sessionStorage.removeItem(place);
  const row = rows()[Math.min(at, rows().length - 1)];
  if (at >= 0 && row) linkOf(row)?.focus({ preventScroll: true });

  document.addEventListener('htmx:afterSwap', ready);
  ready();
}
