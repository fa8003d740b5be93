// Moves the posts of a queue with the mouse or with keys, and takes a move back. Without this file, posts move by their
// buttons. A place is a row with a time; the server decides what moves along. In the grid of a profile, two posts swap.

import { toast } from './toast.js';

{
  /** @param {string} text */
  function say(text) {
    const place = document.querySelector('#said');
    if (place) place.textContent = text;
  }

  const refresh = () => document.querySelector('#queue')?.dispatchEvent(new CustomEvent('live'));

  /**
   * Sends a change, shows what it did, and offers to take it back.
   * @param {string} action @param {URLSearchParams} form @param {boolean=} back
   */
  async function send(action, form, back) {
    try {
      const response = await fetch(action, { method: 'POST', body: form, headers: { 'HX-Request': 'true' } });
      if (response.ok) {
        /** @type {{text: string, undo: {post: string, from: string, to: string}[]}} */
        const { text, undo } = await response.json();
        const again = new URLSearchParams();
        for (const one of undo) for (const [name, value] of Object.entries(one)) again.append(name, value);
        history.replaceState(null, '', location.href.replace(/&swap=[^&]*/, '')); // the partner is chosen
        toast(back ? { text: 'Taken back.' } : { text, undo: () => send(moveAction(), again, true) });
      } else {
        const plain = response.headers.get('Content-Type')?.startsWith('text/plain');
        toast({ text: plain ? await response.text() : 'Nothing was moved. Reload the page and try again.', bad: true });
      }
    } catch {
      toast({ text: 'Nothing was moved: the connection was lost. Try again.', bad: true });
    }
    refresh();
  }

  const moveAction = () => document.querySelector('.ops')?.getAttribute('action') ?? location.pathname + '/move';

  const grid = () => document.querySelector('.profile');

  /** @returns {HTMLElement[]} the places in their order */
  const places = () => [...document.querySelectorAll('.place')].filter((row) => row instanceof HTMLElement);

  /** @param {HTMLElement} row @param {HTMLElement | undefined} to */
  function move(row, to) {
    if (!to || to === row || to.dataset.at === row.dataset.at) return;
    const form = new URLSearchParams();
    for (const { one, place } of grid() ? [{ one: row, place: to }, { one: to, place: row }] : [{ one: row, place: to }]) {
      form.append('post', one.dataset.post ?? '');
      form.append('from', one.dataset.at ?? '');
      form.append('to', place.dataset.at ?? '');
    }
    send(moveAction(), form);
  }

  /** @param {HTMLElement} from @param {string} key @param {string} fits @returns {HTMLElement | undefined} the next place that fits */
  function beside(from, key, fits) {
    const columns = Number(grid()?.getAttribute('data-columns') ?? 0);
    /** @type {Record<string, number>} */
    const steps = columns ? { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns } : { ArrowUp: -1, ArrowDown: 1 };
    const list = places();
    const step = steps[key];
    if (!step) return undefined;
    let at = list.indexOf(from) + step;
    while (list[at] && !list[at]?.matches(fits)) at += step;
    return list[at];
  }

  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches('.ops, .arrange')) return;
    event.preventDefault();
    const fields = new URLSearchParams();
    new FormData(form, event.submitter).forEach((value, name) => fields.append(name, String(value)));
    form.closest('details')?.removeAttribute('open');
    send(form.action, fields);
  });

  /** The post that moves, by keys or by the mouse, and the place where it would go.
   * @type {{row: HTMLElement, to: HTMLElement, by: 'keys' | 'mouse', x: number, y: number, moved: boolean} | undefined} */
  let held;

  /** @param {HTMLElement | undefined} to */
  function aim(to) {
    if (!held || !to) return;
    document.querySelectorAll('.place.target').forEach((row) => row.classList.remove('target'));
    held.to = to;
    if (to !== held.row) to.classList.add('target');
  }

  /** @param {boolean} drop */
  function release(drop) {
    if (!held) return;
    const { row, to } = held;
    held = undefined;
    document.querySelectorAll('.place.target').forEach((one) => one.classList.remove('target'));
    row.classList.remove('lift');
    row.style.translate = '';
    row.querySelector('.grip')?.setAttribute('aria-pressed', 'false');
    if (drop) move(row, to);
  }

  /** @param {HTMLElement} row */
  function take(row) {
    held = { row, to: row, by: 'keys', x: 0, y: 0, moved: true };
    row.classList.add('lift');
    row.querySelector('.grip')?.setAttribute('aria-pressed', 'true');
    say(`Moving, at ${row.dataset.said}. Arrow keys choose the place, Enter drops it, Escape leaves it where it was.`);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it was for the post that moves */
  function steer(event) {
    if (!held) return false;
    if (event.key.startsWith('Arrow')) {
      const to = beside(held.to, event.key, '[data-at]');
      aim(to);
      to?.scrollIntoView({ block: 'nearest' });
      say(to ? `now ${to.dataset.said}` : 'There is no further place.');
    } else if ((event.key === 'Enter' || event.key === ' ') && !document.activeElement?.matches('.grip')) {
      release(true);
    } else if (event.key === 'Escape') {
      say(`Still at ${held.row.dataset.said}.`);
      release(false);
    } else {
      return false;
    }
    return true;
  }

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey) return;
    const row = document.activeElement?.closest('.place[data-post]');
    if (held?.by === 'mouse') {
      if (event.key === 'Escape') release(false);
      return;
    }
    if (held && row !== held.row) release(false); // or the list is a new one
    if (row instanceof HTMLElement && grid() && !held && event.key.startsWith('Arrow') && document.activeElement?.matches('.whole, .whole *')) {
      const next = beside(row, event.key, '*')?.querySelector('a.whole, .whole button');
      if (next instanceof HTMLElement) next.focus();
      event.preventDefault();
      return;
    }
    if (!(row instanceof HTMLElement) || !row.querySelector('button.grip')) return;
    const letter = event.key === 'm' && !event.altKey && !document.querySelector('[data-shortcuts-off]');
    if (held) {
      if (!steer(event)) return;
    } else if (letter) {
      take(row);
    } else {
      return;
    }
    event.preventDefault();
  });

  document.addEventListener('click', (event) => { // by keys or assistive technology; a mouse drags
    const row = event.target instanceof Element && event.detail === 0 && event.target.closest('.grip')?.closest('.place');
    if (!(row instanceof HTMLElement)) return;
    if (held) release(true);
    else take(row);
  });

  document.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.pointerType === 'touch' || !(event.target instanceof Element)) return;
    if (event.target.closest('.ops, .menued')) return;
    const row = event.target.closest('.place[data-at][data-post]');
    if (row instanceof HTMLElement && row.querySelector('button.grip')) held = { row, to: row, by: 'mouse', x: event.clientX, y: event.clientY, moved: false };
  });

  document.addEventListener('pointermove', (event) => {
    if (held?.by !== 'mouse') return;
    const [x, y] = [grid() ? event.clientX - held.x : 0, event.clientY - held.y];
    if (!held.moved && Math.hypot(x, y) < 6) return;
    held.moved = true;
    held.row.classList.add('lift');
    held.row.style.translate = `${x}px ${y}px`;
    const under = document.elementsFromPoint(event.clientX, event.clientY).find((one) => one !== held?.row && one.matches('.place[data-at]'));
    aim(under instanceof HTMLElement ? under : held.row);
  });

  /** @param {boolean} drop */
  function end(drop) {
    if (held?.by !== 'mouse') return;
    if (held.moved) setTimeout(() => release(drop)); // a row that lies under the pointer at once would be clicked
    else held = undefined;
  }

  document.addEventListener('pointerup', () => end(true));
  document.addEventListener('pointercancel', () => end(false));
  document.addEventListener('dragstart', (event) => { // the browser's own dragging of links
    if (event.target instanceof Element && event.target.closest('.place[data-post]')) event.preventDefault();
  });
}
