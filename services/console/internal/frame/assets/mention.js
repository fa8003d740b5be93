// Suggests the members of the workspace after an at sign in a comment. The list is part of the page.
{
  /** @type {HTMLTextAreaElement | undefined} */
  let area;
  let start = 0;

  const list = () => document.getElementById(area?.getAttribute('data-mentions') ?? '');
  const shown = () => /** @type {HTMLElement[]} */ ([...list()?.querySelectorAll('li:not([hidden])') ?? []]);

  function hide() {
    list()?.setAttribute('hidden', '');
    for (const name of ['aria-controls', 'aria-activedescendant', 'aria-autocomplete']) area?.removeAttribute(name);
  }

  /** @param {number} to */
  function select(to) {
    const rows = shown();
    const row = rows[(to + rows.length) % rows.length];
    list()?.querySelectorAll('li').forEach((one) => one.setAttribute('aria-selected', String(one === row))); // hidden ones, too
    if (row) area?.setAttribute('aria-activedescendant', row.id);
  }

  const current = () => shown().findIndex((row) => row.getAttribute('aria-selected') === 'true');

  /** @param {HTMLElement | undefined} row */
  function choose(row) {
    if (!area || !row) return;
    area.setRangeText(`@${row.textContent} `, start, area.selectionStart, 'end');
    hide();
    area.focus();
  }

  /** @param {HTMLTextAreaElement} from */
  function complete(from) {
    hide();
    area = from;
    const match = /(?<![^\s(])@([\p{L}\p{N}_.'-]*(?: [\p{L}\p{N}_.'-]+)*)$/u.exec(from.value.slice(0, from.selectionStart));
    const box = list();
    if (!match || !box) return;
    start = from.selectionStart - match[0].length;
    const wanted = (match[1] ?? '').toLowerCase();
    let count = 0;
    for (const row of box.querySelectorAll('li')) {
      const name = row.textContent?.toLowerCase() ?? '';
      const fits = count < 6 && (name.startsWith(wanted) || name.includes(` ${wanted}`));
      row.toggleAttribute('hidden', !fits);
      if (fits) count += 1;
    }
    if (count === 0) return;
    box.removeAttribute('hidden');
    const field = from.getBoundingClientRect();
    const below = field.bottom + box.offsetHeight + 8 < innerHeight;
    box.style.left = `${Math.max(8, Math.min(field.left, innerWidth - box.offsetWidth - 8))}px`;
    box.style.top = `${below ? field.bottom + 4 : Math.max(8, field.top - box.offsetHeight - 4)}px`;
    from.setAttribute('aria-controls', box.id);
    from.setAttribute('aria-autocomplete', 'list');
    select(0);
  }

  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLTextAreaElement && target.matches('[data-mentions]')) complete(target);
  });
  document.addEventListener('keydown', (event) => {
    if (event.target !== area || list()?.hasAttribute('hidden') !== false || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowDown') select(current() + 1);
    else if (event.key === 'ArrowUp') select(current() - 1);
    else if (event.key === 'Enter' || event.key === 'Tab') choose(shown()[current()]);
    else if (event.key === 'Escape') hide();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, true);
  document.addEventListener('pointerdown', (event) => {
    const row = event.target instanceof Element ? event.target.closest('[role=listbox].completions li') : null;
    if (!(row instanceof HTMLElement)) return;
    event.preventDefault();
    choose(row);
  });
  document.addEventListener('focusout', ({ target }) => {
    if (target === area) hide();
  });
  addEventListener('scroll', ({ target }) => { // what moves the field; it may itself scroll while a person types
    if (area && target !== area && target instanceof Node && target.contains(area)) hide();
  }, true);
}
