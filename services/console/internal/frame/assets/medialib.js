// The media library: uploads by the button, by dropping and by pasting, with a row for each; the number of selected files; and
// the other file for drafts.
import { Upload } from './upload.js';
import { pick } from './mediapicker.js';

const page = document.querySelector('.mediapage');
const base = page?.getAttribute('data-base') ?? '';
const section = document.querySelector('#uploads');
const list = document.querySelector('#uploads-list');
const dropzone = document.querySelector('#dropzone');

/** @type {Map<Upload, HTMLElement>} */
const rows = new Map();

/** @param {string} id @returns {DocumentFragment} */
function copyOf(id) {
  const template = document.querySelector(`#${id}`);
  return template instanceof HTMLTemplateElement ? /** @type {DocumentFragment} */ (template.content.cloneNode(true)) : new DocumentFragment();
}

/** @param {Upload} item */
function words(item) {
  switch (item.state) {
    case 'waiting': return 'waiting';
    case 'offline': return 'no connection';
    case 'finishing': return 'checking';
    case 'done': return 'done';
    case 'failed': return item.retryable ? 'stopped' : 'refused';
    default: {
      const rest = item.seconds;
      const share = `${Math.floor((item.sent / Math.max(item.size, 1)) * 100)} %`;
      if (Number.isNaN(rest)) return share;
      return rest < 90 ? `${share}, ${Math.ceil(rest)} s` : `${share}, ${Math.ceil(rest / 60)} min`;
    }
  }
}

/** @param {Upload} item */
function iconOf(item) {
  if (item.state === 'failed') return 'upload-bad';
  if (item.file.type.startsWith('image/')) return 'upload-image';
  return item.file.type.startsWith('video/') ? 'upload-video' : 'upload-file';
}

/** @param {Upload} item @param {HTMLElement} row */
function draw(item, row) {
  const icon = row.querySelector('.nopic');
  if (icon && icon.getAttribute('data-icon') !== iconOf(item)) {
    icon.setAttribute('data-icon', iconOf(item));
    icon.replaceChildren(copyOf(iconOf(item)));
  }
  const fault = row.querySelector('.bad');
  if (fault instanceof HTMLElement) {
    fault.hidden = !item.fault;
    if (fault.textContent !== item.fault) fault.textContent = item.fault;
  }
  const bar = row.querySelector('progress');
  if (bar) {
    bar.value = item.state === 'failed' ? 100 : (item.sent / Math.max(item.size, 1)) * 100;
    bar.className = { done: 'out', failed: 'stopped', offline: 'person' }[/** @type {string} */ (item.state)] ?? '';
    bar.setAttribute('aria-label', `${item.file.name}: ${words(item)}`);
  }
  const text = row.querySelector('.num');
  if (text) text.textContent = words(item);
  /** @param {string} selector @param {boolean} hidden */
  const hide = (selector, hidden) => {
    const element = row.querySelector(selector);
    if (element instanceof HTMLElement) element.hidden = hidden;
  };
  hide('[data-act="retry"]', !(item.state === 'failed' && item.retryable));
  hide('[data-act="cancel"]', item.state === 'done');
  hide('.done', item.state !== 'done');
}

function summary() {
  const items = [...rows.keys()];
  if (section instanceof HTMLElement) section.hidden = items.length === 0;
  const title = document.querySelector('#uploads-title');
  if (title) title.textContent = items.length === 1 ? '1 upload' : `${items.length} uploads`;
  const done = items.filter(({ state }) => state === 'done').length;
  const failed = items.filter(({ state }) => state === 'failed').length;
  const text = `${done} of ${items.length} done${failed ? `, ${failed} failed` : ''}`;
  const told = document.querySelector('#uploads-done');
  if (told && told.textContent !== text) told.textContent = text;
}

let drawn = 0;
/** @type {Set<Upload>} */
const stale = new Set();

/** @param {Upload} item */
function changed(item) {
  stale.add(item);
  drawn ||= requestAnimationFrame(() => {
    drawn = 0;
    for (const one of stale) {
      const row = rows.get(one);
      if (row) draw(one, row);
    }
    stale.clear();
    summary();
  });
  if (item.state === 'done') refresh();
}

/** Shows the new files, unless the person has selected some. */
function refresh() {
  if (document.querySelector('#library .tick:checked')) return;
  document.querySelector('#library')?.dispatchEvent(new CustomEvent('live'));
}

/** @param {Iterable<File>} files */
function add(files) {
  for (const file of files) {
    const item = new Upload(file, { base, onProgress: changed });
    const row = copyOf('upload-row').firstElementChild;
    if (!(row instanceof HTMLElement)) return;
    row.querySelectorAll('.called').forEach((place) => { place.textContent = file.name; });
    row.addEventListener('click', (event) => {
      const act = event.target instanceof Element ? event.target.closest('[data-act]')?.getAttribute('data-act') : '';
      if (act === 'retry') item.retry();
      if (act !== 'cancel') return;
      item.cancel();
      rows.delete(item);
      row.remove();
      summary();
    });
    rows.set(item, row);
    list?.append(row);
    item.run();
  }
  summary();
}

const field = document.querySelector('#files');
field?.addEventListener('change', () => {
  if (!(field instanceof HTMLInputElement)) return;
  add(field.files ?? []);
  field.value = ''; // the same file can be chosen again
});

/** @param {DataTransfer | null} data */
const hasFiles = (data) => data?.types.includes('Files') ?? false;

/** @param {boolean} shown */
const showDropzone = (shown) => { if (dropzone instanceof HTMLElement) dropzone.hidden = !shown; };

document.addEventListener('dragover', (event) => {
  if (!hasFiles(event.dataTransfer)) return;
  event.preventDefault();
  showDropzone(true);
});
document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) showDropzone(false); });
document.addEventListener('drop', (event) => {
  showDropzone(false);
  if (!hasFiles(event.dataTransfer)) return;
  event.preventDefault();
  add(event.dataTransfer?.files ?? []);
});
document.addEventListener('paste', (event) => {
  const files = event.clipboardData?.files ?? [];
  if (files.length > 0) add(files);
});

addEventListener('beforeunload', (event) => {
  if ([...rows.keys()].some(({ state }) => ['waiting', 'sending', 'offline', 'finishing'].includes(state))) event.preventDefault();
});

const fold = document.querySelector('#uploads-fold');
fold?.addEventListener('click', () => {
  const open = fold.getAttribute('aria-expanded') !== 'true';
  fold.setAttribute('aria-expanded', String(open));
  if (list instanceof HTMLElement) list.hidden = !open;
});

document.addEventListener('change', (event) => {
  if (!(event.target instanceof Element) || !event.target.matches('#library .tick')) return;
  const number = document.querySelector('.selection .number');
  if (number) number.textContent = String(document.querySelectorAll('#library .tick:checked').length);
});

document.querySelector('#choose-other')?.addEventListener('click', async () => {
  const [other] = await pick({ most: 1 });
  const form = document.querySelector('#replace');
  const name = form?.querySelector('[name="with"]');
  if (!other || !(form instanceof HTMLFormElement) || !(name instanceof HTMLInputElement)) return;
  name.value = other.id;
  form.requestSubmit();
});
