// The media of the composer: added by a dialog, from the library, by paste or by dropping them anywhere; their order and
// their descriptions.

import { importing } from './composerimport.js';
import { trimming } from './composertrim.js';
import { pick } from './mediapicker.js';
import { Upload } from './upload.js';

/** Takes the files that another application shared, which the service worker has put into a cache. */
async function takeShared() {
  const address = new URL(location.href);
  if (!address.searchParams.has('files')) return [];
  address.searchParams.delete('files');
  history.replaceState(null, '', address);
  const cache = await caches.open('shared');
  const files = [];
  for (const request of await cache.keys()) {
    const kept = await cache.match(request);
    if (!kept) continue;
    const name = decodeURIComponent(kept.headers.get('X-Name') ?? 'shared');
    files.push(new File([await kept.blob()], name, { type: kept.headers.get('Content-Type') ?? '' }));
  }
  await caches.delete('shared');
  return files;
}

/**
 * @param {HTMLFormElement} form
 * @param {(after?: number) => void} edited tells that the form was changed
 */
export function media(form, edited) {
  const base = form.getAttribute('data-base') ?? '';
  const chooser = form.querySelector('#files');
  /** @param {string=} part of a thread; empty: the post */
  const strip = (part = '') => form.querySelector(`${part ? `[data-part="${part}"]` : '#media'} .strip`);
  /** @param {Element=} among */
  const shots = (among = form) => [...among.querySelectorAll('.shot[data-media]')];
  /** Returns the part of a thread that has an element. @param {EventTarget | null} target */
  const partOf = (target) => (target instanceof Element && target.closest('[data-part]')?.getAttribute('data-part')) || '';
  let chosenFor = ''; // the part for which files are chosen
  let sending = 0;
  let described = ''; // the asset whose description is shown
  /** @type {Map<HTMLElement, string>} files on their way, and those that failed, with their parts */
  const rows = new Map();

  /** @param {string} text */
  function say(text) {
    const status = form.querySelector('#status');
    if (status) status.textContent = text;
  }

  /** Adds assets to the post or to a part. The server draws them. @param {string[]} ids @param {string=} part */
  function add(ids, part) {
    const to = strip(part);
    for (const id of ids) {
      if (!to || shots(to).some((shot) => shot.getAttribute('data-media') === id)) continue;
      const field = document.createElement('input');
      field.type = 'hidden';
      field.name = to.getAttribute('data-name') ?? '';
      field.value = id;
      to.append(field);
    }
    redraw();
  }

  /** Asks for the strip with the next answer. It waits for uploads, whose progress it would lose. */
  function redraw() {
    if (sending > 0) return;
    const wish = document.createElement('input');
    wish.type = 'hidden';
    wish.name = 'strip';
    wish.value = '1';
    strip()?.append(wish);
    edited(0);
  }

  /** Shows the row of a file on its way. @param {HTMLElement} row @param {string} part */
  function put(row, part) {
    const to = strip(part);
    const last = to?.querySelector('.addshot')?.parentElement;
    if (last) last.before(row);
    else to?.append(row);
  }

  /** Sends files, and shows their progress. @param {Iterable<File>} files @param {string=} part */
  function send(files, part = '') {
    for (const file of files) {
      const row = progress(file.name);
      put(row.element, part);
      rows.set(row.element, part);
      const end = () => {
        rows.delete(row.element);
        row.element.remove();
      };
      const going = new Upload(file, { base, onProgress: (item) => row.show(item) });
      row.cancel.addEventListener('click', () => {
        if (going.state !== 'failed') going.cancel();
        end();
      });
      const run = async () => {
        sending += 1;
        const asset = await going.run();
        sending -= 1;
        if (asset) {
          end();
          say(`${file.name} added`);
          add([asset.id], part);
        } else if (going.state === 'canceled') {
          redraw();
        }
      };
      row.retry.addEventListener('click', run);
      run();
    }
  }

  /** Draws a file on its way. @param {string} name */
  function progress(name) {
    const element = document.createElement('li');
    element.className = 'shot up';
    const frame = document.createElement('span');
    frame.className = 'frame';
    const percent = document.createElement('span');
    percent.className = 'pct';
    const bar = document.createElement('progress');
    bar.className = 'thin loading';
    bar.max = 100;
    bar.setAttribute('aria-label', `Upload of ${name}`);
    frame.append(percent, bar);
    const words = document.createElement('small');
    words.textContent = name;
    /** @param {string} text */
    const button = (text) => {
      const made = document.createElement('button');
      made.type = 'button';
      made.className = 'small secondary';
      made.textContent = text;
      return made;
    };
    const [retry, cancel] = [button('Try again'), button('Cancel')];
    retry.hidden = true;
    element.append(frame, words, retry, cancel);
    return {
      element, retry, cancel,
      /** @param {Upload} item */
      show(item) {
        const part = item.size > 0 ? Math.floor((100 * item.sent) / item.size) : 0;
        percent.textContent = { offline: 'Offline', finishing: 'Checking', failed: 'Failed' }[/** @type {string} */ (item.state)] ?? `${part} %`;
        bar.value = part;
        if (item.fault) words.textContent = item.fault;
        retry.hidden = item.state !== 'failed' || !item.retryable;
      },
    };
  }

  /** Shows the description of an asset. @param {string} id @param {boolean=} focus */
  function describe(id, focus = true) {
    described = id;
    shots().forEach((shot) => shot.classList.toggle('here', shot.getAttribute('data-media') === id));
    form.querySelectorAll('.altbox').forEach((box) => box.toggleAttribute('hidden', box.getAttribute('data-alt') !== id));
    const text = form.querySelector(`.altbox[data-alt="${id}"] textarea`);
    if (!focus || !(text instanceof HTMLTextAreaElement)) return;
    text.focus();
    text.setSelectionRange(text.value.length, text.value.length);
  }

  /** What a person can change in the part that the server draws. */
  const state = () => JSON.stringify([...new FormData(form)].filter(([name]) => /^(media|alt)\b/.test(name)));
  let sent = '';
  let typing = false;
  form.addEventListener('htmx:beforeRequest', (event) => { if (event.target === form) sent = state(); });
  form.addEventListener('htmx:oobBeforeSwap', (event) => {
    if (!(event instanceof CustomEvent) || !(event.target instanceof Element) || !/^(media|thread)\b/.test(event.target.id)) return;
    typing = document.activeElement?.matches('.altbox textarea') ?? false;
    if (state() === sent) return; // a thread that is drawn again has the descriptions of its files
    event.detail.shouldSwap = false; // the response knows less than the page, which asks again
    edited();
  });

  /** Puts back what a response does not have: the rows of uploads, and the open description. */
  function redrawn() {
    for (const [row, part] of rows) if (!row.isConnected) put(row, part);
    if (described && form.querySelector(`.altbox[data-alt="${described}"][hidden]`)) describe(described, typing);
  }

  /** Moves a file in the order. @param {Element} shot @param {number} by */
  function move(shot, by) {
    const all = shots(shot.parentElement ?? form);
    const to = all[all.indexOf(shot) + by];
    if (!to) return;
    if (by < 0) to.before(shot);
    else to.after(shot);
    say(`Now ${all.indexOf(shot) + by + 1} of ${all.length}`);
    edited(0);
  }

  /** Chooses the cover of a channel's video, or removes it. @param {Element} button */
  async function chooseCover(button) {
    const channel = button.getAttribute('data-cover') ?? '';
    const field = form.querySelector(`[name="cover.${channel}"]`);
    let id = '';
    if (!button.hasAttribute('data-none')) {
      const [chosen] = await pick({ most: 1, cover: channel, kind: button.getAttribute('data-kind') ?? '' });
      if (!chosen) return;
      id = chosen.id;
    }
    if (!(field instanceof HTMLInputElement)) return;
    field.value = id;
    field.parentElement?.querySelector('.in')?.dispatchEvent(new CustomEvent('open'));
    edited(0);
  }

  form.addEventListener('click', async (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest('[data-add]') && chooser instanceof HTMLInputElement) {
      chosenFor = partOf(event.target);
      chooser.click();
    }
    if (event.target.closest('[data-library]')) {
      const part = partOf(event.target);
      const chosen = await pick();
      if (chosen.length > 0) add(chosen.map(({ id }) => id), part);
    }
    const cover = event.target.closest('[data-cover]');
    if (cover) chooseCover(cover);
    const shot = event.target.closest('.shot[data-media]');
    if (!shot) return;
    const id = shot.getAttribute('data-media') ?? '';
    const button = event.target.closest('button');
    if (button?.hasAttribute('data-remove')) {
      const after = shot.nextElementSibling?.querySelector('button');
      if (!partOf(shot)) form.querySelectorAll(`[name^="media."][value="${id}"]`).forEach((own) => own.remove());
      shot.remove();
      if (!form.querySelector(`.shot[data-media="${id}"]`)) form.querySelector(`.altbox[data-alt="${id}"]`)?.remove();
      after?.focus();
      edited(0);
    } else if (button?.hasAttribute('data-move')) {
      move(shot, Number(button.getAttribute('data-move')));
      button.focus();
    } else {
      describe(id);
    }
  });

  form.addEventListener('input', (event) => {
    const box = event.target instanceof HTMLTextAreaElement ? event.target.closest('.altbox') : null;
    const shot = box && form.querySelector(`.shot[data-media="${box.getAttribute('data-alt')}"]`);
    shot?.classList.toggle('bare', event.target instanceof HTMLTextAreaElement && event.target.value.trim() === '');
  });

  form.addEventListener('keydown', (event) => {
    const shot = event.target instanceof Element ? event.target.closest('.shot[data-media]') : null;
    if (!shot || !event.altKey || !['ArrowLeft', 'ArrowRight'].includes(event.key)) return;
    event.preventDefault();
    move(shot, event.key === 'ArrowLeft' ? -1 : 1);
    if (event.target instanceof HTMLElement) event.target.focus();
  });

  if (chooser instanceof HTMLInputElement) {
    chooser.addEventListener('change', () => {
      send([...(chooser.files ?? [])], chosenFor);
      chooser.value = '';
    });
  }

  document.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    send(files, partOf(event.target));
  });

  /** @type {Element | null} */
  let dragged = null;
  form.addEventListener('dragstart', (event) => {
    dragged = event.target instanceof Element ? event.target.closest('.shot[data-media]') : null;
  });
  form.addEventListener('dragend', () => { dragged = null; });
  document.addEventListener('dragover', (event) => {
    const over = event.target instanceof Element ? event.target.closest('.shot[data-media]') : null;
    const files = event.dataTransfer?.types.includes('Files') && !dragged;
    if (!files && !(dragged && over)) return;
    event.preventDefault();
    form.classList.toggle('dropping', files ?? false);
  });
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) form.classList.remove('dropping'); });
  document.addEventListener('drop', (event) => {
    form.classList.remove('dropping');
    const over = event.target instanceof Element ? event.target.closest('.shot[data-media]') : null;
    if (dragged && over && dragged.parentElement === over.parentElement) {
      event.preventDefault();
      const all = shots(over.parentElement ?? form);
      move(dragged, all.indexOf(over) - all.indexOf(dragged));
      return;
    }
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    send(files, partOf(event.target));
  });

  /** Moves the focus to the files. */
  function enter() {
    const first = form.querySelector('.shot[data-media] .frame') ?? form.querySelector('.addshot');
    if (first instanceof HTMLElement) first.focus();
  }

  /** Puts an asset in the place of another one. @param {string} id @param {string} other */
  function replace(id, other) {
    form.querySelectorAll(`[name=media][value="${id}"], [name^="media."][value="${id}"], [name^="media@"][value="${id}"]`).forEach((field) => field.setAttribute('value', other));
    redraw();
  }

  takeShared().then(send, () => {});
  importing(form, base, add);

  return { describe, enter, redrawn, trim: trimming(form, base, replace) };
}
