// Moves posts in the calendar with the mouse or with keys, and takes a move back. Without this file, posts move by their
// page Move. Times are wall-clock times of the workspace; the server knows its zone and the changes of its clocks.

import { toast } from './toast.js';

{
  const quarter = 15; // minutes of a row of the week

  /** @param {Element} slip */
  const addressOf = (slip) => new URL(slip.getAttribute('data-move') ?? '', location.href);

  /** @param {Element} slip */
  const timeOf = (slip) => slip.getAttribute('data-at') ?? '';

  /**
   * Adds to a wall-clock time such as 2026-11-27T15:00.
   * @param {string} at
   * @param {{days?: number, minutes?: number}} by
   */
  function plus(at, { days = 0, minutes = 0 }) {
    const time = new Date(`${at}Z`);
    time.setUTCDate(time.getUTCDate() + days);
    time.setUTCMinutes(time.getUTCMinutes() + minutes);
    return time.toISOString().slice(0, 16);
  }

  const format = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC',
  });

  /** @param {string} at */
  const words = (at) => format.format(new Date(`${at}Z`));

  /**
   * Moves posts, and returns why they cannot be moved; empty if they were.
   * @param {URL} address @param {string} at
   */
  async function post(address, at) {
    const form = new URLSearchParams(address.searchParams);
    form.set('at', at);
    try {
      const response = await fetch(address.pathname, { method: 'POST', body: form, headers: { 'HX-Request': 'true' } });
      if (response.ok) {
        address.searchParams.set('from', await response.text()); // what the person sees now
        return '';
      }
      const plain = response.headers.get('Content-Type')?.startsWith('text/plain');
      return plain ? await response.text() : 'The post was not moved. Reload the page and try again.';
    } catch {
      return 'The post was not moved: the connection was lost. Try again.';
    }
  }

  const refresh = () => document.querySelector('#calendar')?.dispatchEvent(new CustomEvent('live'));

  /**
   * Moves a slip and offers to take it back. A refused move leaves it where it was, with the reason.
   * @param {HTMLElement} slip @param {string} at
   */
  async function move(slip, at) {
    const address = addressOf(slip);
    const before = timeOf(slip);
    if (at === before) {
      setTimeout(() => settle(slip));
      return;
    }
    slip.setAttribute('data-at', at); // the next key starts from here
    slip.classList.add('moving');
    const refusal = await post(address, at);
    slip.classList.remove('moving');
    if (refusal) {
      slip.setAttribute('data-at', before);
      settle(slip);
      toast({ text: refusal, bad: true });
      refresh(); // somebody else may have moved it
      return;
    }
    slip.setAttribute('data-move', `${address.pathname}${address.search}`);
    slip.classList.remove('lift'); // a part with a lifted slip is not refreshed
    moved(address, at, before);
  }

  /** @param {URL} address @param {string} at @param {string} before shows the move and offers to take it back */
  function moved(address, at, before) {
    refresh();
    const undo = async () => {
      const failed = await post(address, before);
      toast(failed ? { text: failed, bad: true } : { text: `Back on ${words(before)}.` });
      refresh();
    };
    toast({ text: `Moved to ${words(at)}.`, undo });
  }

  /** @param {Element} slip @returns {string[]} the channels of its posts, in their order; empty for a single post */
  const channelsOf = (slip) => (slip.getAttribute('data-channels') ?? '').split('\n').filter(Boolean);

  /**
   * Asks which post of a set moves, where it was dropped, and moves that one.
   * @param {HTMLElement} slip @param {string} at @param {PointerEvent} event
   */
  function moveOne(slip, at, event) {
    const before = timeOf(slip);
    const menu = document.createElement('dialog');
    menu.className = 'menu dropmenu';
    menu.setAttribute('aria-label', `Which post moves to ${words(at)}`);
    const title = document.createElement('p');
    title.textContent = `Move to ${words(at)}`;
    menu.append(title);
    channelsOf(slip).forEach((channel, i) => {
      const button = document.createElement('button');
      button.textContent = channel;
      button.addEventListener('click', async () => {
        menu.close();
        const address = addressOf(slip);
        const id = address.searchParams.getAll('post')[i] ?? '';
        address.searchParams.delete('post');
        address.searchParams.set('post', id);
        const refusal = await post(address, at);
        if (refusal) {
          toast({ text: refusal, bad: true });
          refresh(); // somebody else may have moved it
        } else {
          moved(address, at, before);
        }
      });
      menu.append(button);
    });
    menu.addEventListener('click', (click) => {
      if (click.target === menu) menu.close(); // beside its content
    });
    menu.addEventListener('close', () => menu.remove());
    document.body.append(menu);
    menu.showModal();
    const place = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(8, Math.min(event.clientX, innerWidth - place.width - 8))}px`;
    menu.style.top = `${Math.max(8, Math.min(event.clientY, innerHeight - place.height - 8))}px`;
  }

  /** @param {HTMLElement} slip lets it slide to its place */
  function settle(slip) {
    slip.classList.remove('lift');
    slip.style.translate = '';
  }

  /** Shows the times of the person beside those of the workspace, if they differ. */
  function secondZone() {
    const corner = document.querySelector('.corner[data-zone]');
    const mine = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const labels = [...document.querySelectorAll('.gutter > [data-instant]')];
    if (!corner || !mine || corner.querySelector('.second')) return;
    /** @param {Element} label */
    const time = (label) => new Date(label.getAttribute('data-instant') ?? '')
      .toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: mine });
    if (labels.every((label) => time(label) === label.textContent)) return;
    const city = document.createElement('span');
    city.className = 'second';
    city.textContent = mine.slice(mine.lastIndexOf('/') + 1).replaceAll('_', ' ');
    corner.prepend(city);
    for (const label of labels) {
      const other = document.createElement('span');
      other.className = `${label.className} second`;
      other.textContent = time(label);
      label.before(other);
    }
    corner.parentElement?.classList.add('twozones');
  }
  secondZone();
  document.addEventListener('htmx:afterSettle', secondZone);

  /** @typedef {{slip: HTMLElement, x: number, y: number, top: number, moved: boolean, at: string}} Drag */

  /** @type {Drag | undefined} */
  let drag;
  const hint = document.createElement('p');
  hint.className = 'draghint';

  /**
   * Returns the time at which a dragged slip would go out if it were dropped here; empty outside of the calendar.
   * @param {Drag} of @param {PointerEvent} event
   */
  function target(of, event) {
    const day = document.elementsFromPoint(event.clientX, event.clientY).find((one) => one.matches('[data-day]'));
    const date = day?.getAttribute('data-day');
    if (!day || !date) return '';
    if (!day.matches('.daycol')) return `${date}T${timeOf(of.slip).slice(11)}`;
    return timeAt(day, event.clientY - of.top, Math.round);
  }

  /**
   * Returns the time of a day of the week at a height of the window.
   * @param {Element} day @param {number} y @param {(row: number) => number} whole
   */
  function timeAt(day, y, whole) {
    const rows = whole((y - day.getBoundingClientRect().top) / quarter);
    const from = Number(document.querySelector('.weekgrid')?.getAttribute('data-from') ?? 0);
    const minutes = Math.min(Math.max(from * 60 + rows * quarter, 0), 24 * 60 - quarter);
    return plus(`${day.getAttribute('data-day')}T00:00`, { minutes });
  }

  /** @param {PointerEvent | undefined} drop */
  function end(drop) {
    if (!drag) return;
    const { slip, at, moved: dragged } = drag;
    drag = undefined;
    hint.remove();
    document.querySelectorAll('.dropping').forEach((day) => day.classList.remove('dropping'));
    if (!dragged) return;
    const one = drop?.altKey && at !== timeOf(slip) && channelsOf(slip).length > 0;
    if (drop && at && !one) {
      move(slip, at);
      return;
    }
    if (drop && at) moveOne(slip, at, drop);
    setTimeout(() => settle(slip)); // a slip that lies under the pointer at once would be clicked
  }

  document.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.pointerType === 'touch' || !(event.target instanceof Element)) return;
    const slip = event.target.closest('.slip[data-move]');
    if (!(slip instanceof HTMLElement)) return;
    drag = {
      slip, x: event.clientX, y: event.clientY, top: event.clientY - slip.getBoundingClientRect().top, moved: false, at: '',
    };
  });

  // A click on empty time begins a post there: at the quarter of an hour in the week; in the month at the first free slot, or
  // at noon.
  /** @type {EventTarget | null} */
  let pressed = null;
  document.addEventListener('pointerdown', (event) => { pressed = event.target; }, true);
  document.addEventListener('click', (event) => {
    const day = event.target;
    if (!(day instanceof HTMLElement) || day !== pressed || !day.matches('[data-compose] [data-day]:not(.past)')) return; // or the end of a drag
    const address = new URL(day.closest('[data-compose]')?.getAttribute('data-compose') ?? '', location.href);
    const free = day.querySelector('a.free');
    const at = day.matches('.daycol') ? timeAt(day, event.clientY, Math.floor) : `${day.getAttribute('data-day')}T12:00`;
    if (free instanceof HTMLAnchorElement) address.search = new URL(free.href).search;
    else if (!day.matches('.cell.today')) address.searchParams.set('at', at);
    location.assign(address);
  });

  document.addEventListener('pointermove', (event) => {
    if (!drag) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(x, y) < 6) return;
    drag.moved = true;
    drag.at = target(drag, event); // before everything that changes the layout, which it reads
    drag.slip.classList.add('lift');
    drag.slip.style.translate = `${x}px ${y}px`;
    const [was, day] = [document.querySelector('.dropping'), drag.at && document.querySelector(`.cell[data-day="${drag.at.slice(0, 10)}"]`)];
    if (day !== was) {
      was?.classList.remove('dropping');
      if (day) day.classList.add('dropping');
    }
    const all = channelsOf(drag.slip).length;
    hint.textContent = (drag.at ? words(drag.at) : 'Drop it on a day') + (all && (event.altKey ? ' · one post' : ` · ${all} posts`) || '');
    if (!hint.isConnected) document.body.append(hint);
    hint.style.translate = `${event.clientX + 14}px ${event.clientY + 18}px`;
  });

  document.addEventListener('pointerup', (event) => { end(event); });
  document.addEventListener('pointercancel', () => { end(undefined); });
  document.addEventListener('dragstart', (event) => { // the browser's own dragging of links
    if (event.target instanceof Element && event.target.closest('.slip[data-move]')) event.preventDefault();
  });

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && drag) {
      end(undefined);
      return;
    }
    const slip = document.activeElement;
    if (!(slip instanceof HTMLElement) || !slip.matches('[data-move]')) return;
    /** @type {Record<string, {days?: number, minutes?: number}>} */
    const steps = {
      ArrowLeft: { days: -1 }, ArrowRight: { days: 1 }, ArrowUp: { minutes: -quarter }, ArrowDown: { minutes: quarter },
    };
    const step = event.altKey ? steps[event.key] : undefined;
    if (step) move(slip, plus(timeOf(slip), step));
    else if (event.key === 'm' && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector('[data-shortcuts-off]')) location.assign(addressOf(slip));
    else return;
    event.preventDefault();
  });
}
