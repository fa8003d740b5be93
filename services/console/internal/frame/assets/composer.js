// Keeps and examines what a person writes while they type. The server counts, finds faults and knows the times; this module
// sends the form to it, and shows which channel's text is being written.

import { keep } from './composerkept.js';
import { media } from './composermedia.js';
import { sure } from './composersure.js';
import { draw, thread } from './composerthread.js';
import { toast } from './toast.js';

{
  const quiet = 200; // milliseconds after the last key; with the response, findings are there within 300
  const longest = 800; // milliseconds between two saves while a person types without a pause

  const found = document.querySelector('#composer');
  if (found instanceof HTMLFormElement) compose(found);

  /** @param {HTMLFormElement} form */
  function compose(form) {
    let target = 'all';
    let pending = 0; // time of the first change that was not sent
    let sending = false;
    let responded = false; // a response is to be shown
    let leaving = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;

    /** @param {string} id @returns {HTMLTextAreaElement | null} */
    const field = (id) => form.querySelector(`[data-for="${id}"] textarea`);
    const common = () => field('all')?.value ?? '';
    const channels = () => [...form.querySelectorAll('.chan[data-channel]')];
    /** @param {string} id @returns {HTMLInputElement | null} */
    const title = (id) => form.querySelector(`[data-name="title.${id}"]`);
    /** @param {string} id */
    const differs = (id) => form.querySelector(`[name="text.${id}"], [name="title.${id}"], [name="kind.${id}"], [name="media.${id}"], [name="ownthread.${id}"], [name="comment.${id}"]`) !== null;
    const attached = media(form, edited);
    const kept = keep(form, edited);
    const ask = sure(form);
    const threads = thread(form, edited, (id, text, has) => {
      const area = field(id);
      if (!area) return;
      area.value = text;
      if (has && id !== 'all') area.setAttribute('name', area.getAttribute('data-name') ?? '');
      else if (id !== 'all') area.removeAttribute('name');
      tell(id);
      paint(id);
    });

    /** Sends the form: it is kept and examined. */
    function send() {
      clearTimeout(timer);
      timer = undefined;
      pending = 0;
      form.dispatchEvent(new CustomEvent('edited'));
    }

    /** Sends the form soon. @param {number=} after */
    function edited(after = quiet) {
      if (leaving) return;
      form.setAttribute('data-unsaved', '');
      const now = Date.now();
      pending ||= now;
      clearTimeout(timer);
      timer = setTimeout(send, Math.max(0, Math.min(after, pending + longest - now)));
    }

    /** Sends what was not sent yet, when the page may end. */
    function flush() {
      if (leaving || (!timer && !sending)) return;
      clearTimeout(timer);
      timer = undefined;
      const body = new URLSearchParams();
      for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value);
      fetch(form.getAttribute('hx-post') ?? '', { method: 'POST', body, keepalive: body.toString().length < 60_000 }).catch(() => {});
    }

    /** Marks in a text what is too much for the network. @param {string} id */
    function paint(id) {
      const text = field(id);
      if (text) draw(text, form.querySelector(`#marks-${id}`));
    }

    /** Shows the counter of the text under it. */
    function foot() {
      const marks = form.querySelector(`#marks-${target}`);
      const counter = marks?.querySelector('.counter')?.cloneNode(true);
      form.querySelector('#foot')?.replaceChildren(...(counter ? [counter] : []));
      const tight = form.querySelector('#tight');
      if (tight) tight.textContent = marks?.getAttribute('data-tight') ?? '';
    }

    /** Says whether a channel has the common text. @param {string} id */
    function tell(id) {
      const variant = form.querySelector(`.variant[data-for="${id}"]`);
      const tells = variant?.querySelector('.tells');
      variant?.toggleAttribute('data-follows', !differs(id));
      if (tells) tells.textContent = differs(id) ? tellsOwn(id) : 'It has the common text until you change it here.';
    }

    /** @param {string} id */
    function tellsOwn(id) {
      const files = form.querySelectorAll(`[name="media.${id}"]`).length;
      const all = form.querySelectorAll('[name=media]').length;
      return (files ? `It has ${files} of ${all} files. ` : '') + (field(id)?.hasAttribute('name') ? 'The other channels keep the common text.' : '')
        + (title(id)?.hasAttribute('name') ? ' It has a title of its own.' : '');
    }

    /** Shows the text of a channel. @param {string} id @param {boolean=} focus */
    function show(id, focus = true) {
      const changed = target !== id;
      target = id;
      const aim = form.querySelector('[name=target]');
      if (aim instanceof HTMLInputElement) aim.value = id;
      if (changed) edited(0);
      form.querySelectorAll('[data-for]').forEach((part) => part.toggleAttribute('hidden', part.getAttribute('data-for') !== id));
      form.querySelectorAll('.chan').forEach((row) => {
        const here = (row.getAttribute('data-channel') ?? 'all') === id;
        row.classList.toggle('here', here);
        const link = row.querySelector('[data-target]');
        if (here) link?.setAttribute('aria-current', 'true');
        else link?.removeAttribute('aria-current');
        if (here) row.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      });
      if (id !== 'all') tell(id);
      paint(id);
      foot();
      if (focus) enter(id);
    }

    /** Puts the caret at the end of a text that was not entered yet. @param {string} id */
    function enter(id) {
      const area = field(id);
      if (area && area.selectionEnd === 0) area.setSelectionRange(area.value.length, area.value.length);
      area?.focus({ preventScroll: true });
    }

    /** Gives a channel a text of its own. @param {string} id @param {string} text */
    function own(id, text) {
      const area = field(id);
      if (!area) return;
      area.value = text;
      area.setAttribute('name', area.getAttribute('data-name') ?? '');
      tell(id);
      paint(id);
    }

    /** Gives a channel a text of its own until the person takes it back. @param {string} id @param {string} text */
    function rewrite(id, text) {
      const area = field(id);
      const before = area?.value ?? '';
      const followed = !area?.hasAttribute('name');
      const change = () => {
        tell(id);
        paint(id);
        show(id);
        edited(0);
      };
      own(id, text);
      change();
      toast({
        text: `Changed for ${form.querySelector(`[data-target="${id}"]`)?.textContent ?? ''}.`,
        undo: () => {
          if (!area) return;
          own(id, followed ? common() : before);
          if (followed) area.removeAttribute('name');
          change();
        },
      });
    }

    /** Gives a channel the common text again. @param {string} id */
    function follow(id) {
      const area = field(id);
      if (!area) return;
      area.value = common();
      area.removeAttribute('name');
      const heading = title(id);
      const shared = form.querySelector('#title');
      heading?.removeAttribute('name');
      if (heading && shared instanceof HTMLInputElement) heading.value = shared.value;
      form.querySelector(`.variant[data-for="${id}"] .ownmedia`)?.replaceChildren();
      if (form.querySelector(`[name="ownthread.${id}"], [name="comment.${id}"]`)) threads.arrange(`common ${id}`);
      tell(id);
      paint(id);
    }

    form.addEventListener('input', (event) => {
      const area = event.target;
      if (area instanceof HTMLTextAreaElement && area.id === 'text') {
        for (const row of channels()) {
          const id = row.getAttribute('data-channel') ?? '';
          const other = field(id);
          if (other && !other.hasAttribute('name')) other.value = area.value;
        }
        paint('all');
      } else if (area instanceof HTMLTextAreaElement && area.hasAttribute('data-name')) {
        own(area.closest('[data-for]')?.getAttribute('data-for') ?? target, area.value);
      } else if (area instanceof HTMLInputElement && area.id === 'title') {
        form.querySelectorAll('[data-name^="title."]:not([name])').forEach((other) => { if (other instanceof HTMLInputElement) other.value = area.value; });
      } else if (area instanceof HTMLInputElement && area.hasAttribute('data-name')) {
        area.name = area.getAttribute('data-name') ?? '';
        tell(target);
      }
      edited();
    });

    form.addEventListener('change', (event) => {
      const box = event.target;
      if (box instanceof HTMLInputElement && box.name === 'channel') {
        box.closest('.chan')?.classList.toggle('off', !box.checked);
        form.querySelector(`[data-options="${box.value}"]`)?.toggleAttribute('hidden', !box.checked);
      }
      if (box instanceof HTMLSelectElement && box.hasAttribute('data-again')) box.closest('.in')?.dispatchEvent(new CustomEvent('open'));
      if (box instanceof HTMLInputElement || box instanceof HTMLSelectElement) edited(0);
    });

    // The options of a network are read when they are opened for the first time.
    form.addEventListener('toggle', (event) => {
      const details = event.target;
      if (!(details instanceof HTMLDetailsElement) || !details.open || !details.hasAttribute('data-options')) return;
      const place = details.querySelector('.in');
      if (place && !place.querySelector('[name$=".open"]')) place.dispatchEvent(new CustomEvent('open'));
    }, true);

    form.addEventListener('click', (event) => {
      if (!(event.target instanceof Element)) return;
      const link = event.target.closest('[data-target]');
      if (link) {
        event.preventDefault();
        show(link.getAttribute('data-target') ?? 'all');
        toPart(link.getAttribute('href') ?? '');
        return;
      }
      const reset = event.target.closest('[data-reset]')?.getAttribute('data-reset');
      if (reset) {
        follow(reset);
        edited(0);
        field(reset)?.focus();
        return;
      }
      const button = event.target.closest('[data-fix]');
      if (button) fix(button);
      if (event.target.closest('[data-discard]')) leaving = true;
    });

    /** Moves the focus to a part or a comment. @param {string} address */
    function toPart(address) {
      const area = /^#(part|comment)-/.test(address) ? form.querySelector(address) : null;
      if (!(area instanceof HTMLElement)) return;
      area.closest('details')?.setAttribute('open', '');
      area.focus();
    }

    /** Shows the choice of the time, which is a sheet on phones. */
    function openWhen() {
      if (matchMedia('(max-width: 720px)').matches) location.hash = 'when';
    }

    /** Does what the button of a finding says. @param {Element} button */
    function fix(button) {
      const id = button.getAttribute('data-channel') ?? '';
      switch (button.getAttribute('data-fix')) {
        case 'text':
          rewrite(id, button.getAttribute('data-value') ?? '');
          break;
        case 'drop':
          form.querySelector(`.variant[data-for="${id}"] .ownmedia`)?.replaceChildren(...(button.getAttribute('data-value') ?? '').split(' ').map((file) => {
            const kept = document.createElement('input');
            kept.type = 'hidden';
            kept.name = `media.${id}`;
            kept.value = file;
            return kept;
          }));
          show(id);
          edited(0);
          break;
        case 'alt':
          attached.describe(button.getAttribute('data-value') ?? '');
          break;
        case 'trim':
          attached.trim(button.getAttribute('data-value') ?? '');
          break;
        case 'options': {
          const details = form.querySelector(`[data-options="${id}"]`);
          if (!(details instanceof HTMLDetailsElement)) break;
          details.open = true;
          details.querySelector('summary')?.focus();
          details.scrollIntoView({ block: 'nearest' });
          break;
        }
        case 'title':
        case 'labels':
          /** @type {HTMLElement | null} */ (form.querySelector(`#${button.getAttribute('data-fix')}`))?.focus();
          break;
        case 'when': {
          const time = form.querySelector('[name=when][value=time]');
          if (time instanceof HTMLInputElement) time.click();
          openWhen();
          const day = form.querySelector('#day');
          if (day instanceof HTMLElement) day.focus();
          break;
        }
        case 'channels': {
          const box = form.querySelector('[name=channel]');
          if (box instanceof HTMLElement) box.focus();
          break;
        }
      }
    }

    /** Moves the focus to what must be fixed first; false if there is nothing. */
    function toFault() {
      const fault = form.querySelector('#elsewhere [role=alert], .notices [role=alert], .finding.stop, [aria-invalid=true]');
      if (!(fault instanceof HTMLElement)) return false;
      if (fault.closest('#when')) openWhen();
      const button = fault.querySelector('button, a');
      (button instanceof HTMLElement ? button : fault).focus();
      fault.scrollIntoView({ block: 'nearest' });
      return true;
    }

    form.addEventListener('submit', (event) => {
      const by = event.submitter;
      const drafting = !form.querySelector('#findings')?.hasAttribute('data-plans');
      const stops = Number(form.querySelector('#findings')?.getAttribute('data-stops') ?? 0);
      if (by?.id === 'go' && stops > 0 && !drafting && !timer && !sending && toFault()) {
        event.preventDefault();
        return;
      }
      if (ask(by)) {
        event.preventDefault();
        return;
      }
      leaving = true;
      clearTimeout(timer);
      timer = undefined;
      kept.forget();
    });

    form.addEventListener('htmx:beforeRequest', (event) => { if (event.target === form) sending = true; });
    form.addEventListener('htmx:afterRequest', (event) => {
      if (event.target !== form) return;
      sending = false;
      const failed = event instanceof CustomEvent && !event.detail.successful;
      const mark = form.querySelector('#kept');
      mark?.classList.toggle('lost', failed);
      if (!failed && !timer) form.removeAttribute('data-unsaved');
      if (!failed) return;
      const text = document.createElement('span');
      text.textContent = kept.says();
      mark?.querySelectorAll('.icon, span').forEach((part) => part.remove());
      mark?.append(text);
      edited(3000);
    });
    addEventListener('online', () => { if (timer) send(); });
    // htmx would report every part of a response again after each part that it replaces, and look for its attributes in all.
    form.addEventListener('htmx:oobBeforeSwap', (event) => {
      if (!(event instanceof CustomEvent) || !(event.target instanceof Element)) return;
      event.preventDefault();
      const part = event.detail.fragment.firstElementChild;
      if (event.detail.shouldSwap && !event.target.isEqualNode(part)) event.target.replaceWith(part);
      if (!responded) queueMicrotask(checked);
      responded = true;
    });

    /** Shows the response of the service. */
    function checked() {
      responded = false;
      attached.redrawn();
      threads.redrawn();
      const id = form.querySelector('#kept')?.getAttribute('data-scratch');
      const version = form.querySelector('[name=version]');
      if (id && version instanceof HTMLInputElement && version.value !== '0' && new URLSearchParams(location.search).get('scratch') !== id) {
        history.replaceState(null, '', `?scratch=${id}${location.hash}`);
      }
      paint(target);
      foot();
      const titled = form.querySelector('#findings')?.hasAttribute('data-titled') ?? false;
      const shared = form.querySelector('#title');
      form.querySelector('#titlebox')?.toggleAttribute('data-untitled', !titled && !(shared instanceof HTMLInputElement && shared.value));
      for (const row of channels()) {
        const heading = title(row.getAttribute('data-channel') ?? '');
        const hides = !row.querySelector('[data-titled]') && !heading?.hasAttribute('name');
        heading?.closest('.titlebox')?.toggleAttribute('data-untitled', hides);
      }
    }

    /** Gives the channel whose text is shown a text of its own, or goes to the first channel. */
    function toOwn() {
      const picked = form.querySelector('.chan[data-channel]:has(.tick:checked)')?.getAttribute('data-channel');
      if (target === 'all' && picked) show(picked);
      else if (target !== 'all') {
        own(target, field(target)?.value ?? '');
        field(target)?.focus();
        edited(0);
      }
    }

    /** Shows the previews of all networks, or of the first ones again. */
    function comparePreviews() {
      const wish = form.querySelector('[name=compare]');
      if (!(wish instanceof HTMLInputElement)) return;
      wish.value = wish.value ? '' : '1';
      form.classList.toggle('comparing', wish.value !== '');
      edited(0);
      const previews = form.querySelector('#previews');
      if (previews instanceof HTMLElement && wish.value) previews.focus();
    }

    document.addEventListener('visibilitychange', () => { 
      if (document.hidden && timer) send();
      if (!document.hidden && !timer && !sending) form.querySelector('#newer')?.dispatchEvent(new CustomEvent('back'));
    });
    addEventListener('pagehide', flush);
    addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); }); // the page of the cache is old

    document.addEventListener('keydown', (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
        event.preventDefault();
        const go = form.querySelector('#go');
        if (go instanceof HTMLButtonElement) go.click();
        return;
      }
      if (event.altKey && !event.ctrlKey && !event.metaKey && ['KeyO', 'KeyM'].includes(event.code)) {
        event.preventDefault();
        if (event.code === 'KeyO') toOwn();
        else attached.enter();
        return;
      }
      if (event.key === 'Escape' && location.hash === '#when') location.hash = 'editor';
      const typing = event.target instanceof Element && event.target.matches('input:not([type=checkbox], [type=radio]), textarea, select');
      if (event.shiftKey && event.key === 'P' && !event.ctrlKey && !event.metaKey && !event.altKey && !typing && !document.querySelector('[data-shortcuts-off], dialog[open]')) {
        event.preventDefault();
        comparePreviews();
        return;
      }
      if (!event.altKey || event.ctrlKey || event.metaKey || !['ArrowUp', 'ArrowDown'].includes(event.key)) return;
      const order = ['all', ...channels().map((row) => row.getAttribute('data-channel') ?? '')];
      const next = order.indexOf(target) + (event.key === 'ArrowDown' ? 1 : -1);
      event.preventDefault();
      show(order[(next + order.length) % order.length] ?? 'all');
    });

    show('all', false);
    const early = field('all'); // what was typed before this module was loaded
    if (early && early.value !== early.defaultValue) early.dispatchEvent(new Event('input', { bubbles: true }));
    if (form.hasAttribute('data-refused')) toFault();
    else if (!matchMedia('(pointer: coarse)').matches) enter('all');
  }
}
