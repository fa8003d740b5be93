// Moves cards between the columns of a board, and within them if it has an order, with the mouse, a finger or keys, and takes a
// move back. Without this file they move by their page Move. A column with data-asks needs more than the move: that page asks.

import { toast } from './toast.js';

{
  const refresh = () => document.querySelector('.board')?.closest('[data-follow]')?.dispatchEvent(new CustomEvent('live'));

  /** @param {string} text */
  function say(text) {
    const place = document.querySelector('#said');
    if (place) place.textContent = text;
  }

  /** @typedef {{column: HTMLElement, before: HTMLElement | undefined}} Place the card that is below, if the board has an order */

  /** @param {Element} card @returns {HTMLElement | undefined} */
  function columnOf(card) {
    const column = card.closest('[data-column]');
    return column instanceof HTMLElement ? column : undefined;
  }

  /** @param {Element} of */
  const ordered = (of) => of.closest('.board')?.hasAttribute('data-ordered') ?? false;

  /** @param {HTMLElement} column @returns {HTMLElement[]} */
  const cardsIn = (column) => [...column.querySelectorAll('.boardcard')].filter((one) => one instanceof HTMLElement);

  /** @param {HTMLElement} card @returns {HTMLElement | undefined} */
  function below(card) {
    const cards = cardsIn(columnOf(card) ?? card);
    return cards[cards.indexOf(card) + 1];
  }

  /** @param {HTMLElement} card @param {string} from @param {Place} to @returns {Promise<string>} why it was not moved; empty: it was */
  async function send(card, from, to) {
    const { move: address = '', card: id } = card.dataset;
    // Cards below may be hidden: the one above says where the end of those that are shown is.
    const above = to.before ? undefined : cardsIn(to.column).filter((one) => one.dataset.card !== id).at(-1);
    try {
      const response = await fetch(address, {
        method: 'POST', headers: { 'HX-Request': 'true' },
        body: new URLSearchParams({
          from, to: to.column.dataset.column ?? '', before: to.before?.dataset.card ?? '', after: above?.dataset.card ?? '',
        }),
      });
      if (response.ok) return '';
      const plain = response.headers.get('Content-Type')?.startsWith('text/plain');
      return plain ? await response.text() : 'It was not moved. Reload the page and try again.';
    } catch {
      return 'It was not moved: the connection was lost. Try again.';
    }
  }

  /** Puts a card into its place. The focus stays in it. @param {HTMLElement} card @param {Place} to */
  function put(card, { column, before }) {
    const focused = document.activeElement;
    if (before) before.before(card);
    else if (ordered(column)) column.querySelector('ul')?.append(card);
    else column.querySelector('ul')?.prepend(card);
    if (focused instanceof HTMLElement && card.contains(focused)) focused.focus({ preventScroll: true });
  }

  /** @param {HTMLElement} card @param {Place} to */
  async function move(card, to) {
    const column = columnOf(card);
    if (!column) return;
    const from = { column, before: ordered(card) ? below(card) : undefined };
    if (to.column === column && (!ordered(card) || to.before === from.before || to.before === card)) return;
    const { asks, name = '' } = to.column.dataset;
    if (asks) {
      location.assign((card.dataset.move ?? '') + asks);
      return;
    }
    card.classList.add('moving');
    const refusal = await send(card, column.dataset.column ?? '', to);
    card.classList.remove('moving');
    if (refusal) {
      toast({ text: refusal, bad: true });
    } else {
      put(card, to);
      const text = to.column === column ? 'Moved.' : `Moved to ${name}.`;
      say(text);
      const undo = async () => {
        const failed = await send(card, to.column.dataset.column ?? '', from);
        toast(failed ? { text: failed, bad: true } : { text: `Back in ${column.dataset.name ?? ''}.` });
        refresh();
      };
      toast(column.dataset.asks ? { text } : { text, undo });
    }
    refresh();
  }

  /** @type {{card: HTMLElement, x: number, y: number, at: number, moved: boolean, to: Place | undefined, pointer: number} | undefined} */
  let held;
  /** @type {number | undefined} */
  let scrolling;
  let dropped = 0; // when a drag ended: the click that follows it opens nothing
  const gap = document.createElement('li');
  gap.className = 'gap';
  gap.ariaHidden = 'true';

  /** Shows where the card would be put. @param {Place | undefined} to */
  function aim(to) {
    if (!held) return;
    if (held.to?.column !== to?.column) {
      held.to?.column.classList.remove('target');
      to?.column.classList.add('target');
    }
    held.to = to;
    if (!to || !ordered(to.column)) gap.remove();
    else if (to.before) to.before.before(gap);
    else to.column.querySelector('ul')?.append(gap);
  }

  /** @param {HTMLElement} card @param {number} x @param {number} y @returns {Place | undefined} the place below a point */
  function placeAt(card, x, y) {
    const column = document.elementsFromPoint(x, y).find((one) => one.matches('[data-column]'));
    if (!(column instanceof HTMLElement)) return undefined;
    if (!ordered(card)) return column === columnOf(card) ? undefined : { column, before: undefined };
    const before = cardsIn(column).find((one) => {
      const { top, height } = one.getBoundingClientRect();
      return one !== card && y < top + height / 2;
    });
    return { column, before };
  }

  /** @param {boolean} drop */
  function release(drop) {
    if (!held) return;
    const { card, to, moved } = held;
    aim(undefined);
    held = undefined;
    clearInterval(scrolling);
    card.classList.remove('lift');
    card.style.translate = '';
    if (!moved) return;
    dropped = performance.now();
    if (drop && to) move(card, to);
  }

  document.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !(event.target instanceof Element)) return;
    const card = event.target.closest('.boardcard[data-move]');
    if (!(card instanceof HTMLElement) || !card.querySelector('.move')) return;
    const grip = event.target.closest('.move');
    if (event.pointerType === 'touch' && !grip) return; // a finger scrolls, except on the grip
    const board = card.closest('.board');
    held = {
      card, x: event.clientX, y: event.clientY, at: board?.scrollLeft ?? 0, moved: false, to: undefined, pointer: event.pointerId,
    };
    if (event.pointerType === 'touch' && event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
  });

  document.addEventListener('pointermove', (event) => {
    if (!held || held.pointer !== event.pointerId) return;
    const board = held.card.closest('.board');
    const [x, y] = [event.clientX - held.x + (board?.scrollLeft ?? 0) - held.at, event.clientY - held.y];
    if (!held.moved && Math.hypot(x, y) < 6) return;
    held.moved = true;
    held.card.classList.add('lift');
    held.card.style.translate = `${x}px ${y}px`;
    aim(placeAt(held.card, event.clientX, event.clientY));
    clearInterval(scrolling);
    const edge = 44;
    const step = event.clientX < edge ? -14 : event.clientX > innerWidth - edge ? 14 : 0;
    if (step && board) scrolling = setInterval(() => { board.scrollLeft += step; }, 16);
  });

  document.addEventListener('pointerup', () => release(true));
  document.addEventListener('pointercancel', () => release(false));
  document.addEventListener('click', (event) => {
    if (performance.now() - dropped < 300 && event.target instanceof Element && event.target.closest('.boardcard[data-move]')) event.preventDefault();
  }, true);
  document.addEventListener('dragstart', (event) => { // the browser's own dragging of links
    if (event.target instanceof Element && event.target.closest('.boardcard[data-move]')) event.preventDefault();
  });

  /** @param {HTMLElement} card @param {string} key @returns {Place | undefined} the place to which a key moves a card */
  function placeBy(card, key) {
    const columns = [...document.querySelectorAll('[data-column]')].filter((one) => one instanceof HTMLElement);
    const here = columnOf(card);
    if (!here) return undefined;
    const cards = cardsIn(here);
    const at = cards.indexOf(card);
    if (key === 'ArrowUp' || key === 'ArrowDown') {
      if (!ordered(card) || key === 'ArrowUp' && at === 0 || key === 'ArrowDown' && at === cards.length - 1) return undefined;
      return { column: here, before: key === 'ArrowUp' ? cards[at - 1] : cards[at + 2] };
    }
    const column = columns[columns.indexOf(here) + (key === 'ArrowRight' ? 1 : -1)];
    return column && { column, before: ordered(card) ? cardsIn(column)[at] : undefined };
  }

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && held) {
      release(false);
      return;
    }
    const card = document.activeElement?.closest('.boardcard[data-move]');
    if (!(card instanceof HTMLElement) || event.ctrlKey || event.metaKey) return;
    if (event.altKey && /^Arrow(Left|Right|Up|Down)$/.test(event.key) && card.querySelector('.move')) {
      const to = placeBy(card, event.key);
      if (to) move(card, to);
    } else {
      const link = /^[a-z]$/.test(event.key) && !event.altKey && card.querySelector(`a[data-cardkey="${event.key}"]`);
      if (!(link instanceof HTMLAnchorElement) || document.querySelector('[data-shortcuts-off]')) return;
      location.assign(link.href);
    }
    event.preventDefault();
  });

  // A board that is fetched again stays where a person has scrolled it.
  let left = 0;
  document.addEventListener('htmx:beforeSwap', () => { left = document.querySelector('.board')?.scrollLeft ?? 0; });
  document.addEventListener('htmx:afterSwap', () => document.querySelector('.board')?.scrollTo({ left, behavior: 'instant' }));

  // No event reports what others do on a board with data-poll.
  const often = 20_000;
  setInterval(() => { if (!document.hidden && document.querySelector('[data-poll] .board')) refresh(); }, often);
}
