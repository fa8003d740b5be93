// Lets a person choose files of the media library in a dialog, which the page has by the template mediapicker.

/** @typedef {{id: string, name: string, type: string, url: string, thumbnailUrl: string | null, altText: string | null, size: number}} Asset */

/** @type {Map<string, Asset>} in the order of choosing; a search does not lose what was chosen before it */
const chosen = new Map();
let most = Infinity;
/** @type {((assets: Asset[]) => void) | undefined} */
let settle;

const dialog = document.querySelector('#mediapicker');

/** @returns {HTMLInputElement[]} */
const boxes = () => [...(dialog?.querySelectorAll('input.tick') ?? [])].filter((box) => box instanceof HTMLInputElement);

function show() {
  for (const box of boxes()) {
    box.checked = chosen.has(box.value);
    box.disabled = box.hasAttribute('data-refused') || !box.checked && chosen.size >= most && most > 1;
    box.closest('.asset')?.classList.toggle('picked', box.checked);
  }
  const use = dialog?.querySelector('[data-picker="use"]');
  if (!(use instanceof HTMLButtonElement)) return;
  use.disabled = chosen.size === 0;
  use.textContent = chosen.size > 1 ? `Use ${chosen.size} files` : 'Use';
}

/** @param {Asset[]} assets */
function end(assets) {
  const done = settle;
  settle = undefined;
  if (dialog instanceof HTMLDialogElement && dialog.open) dialog.close();
  done?.(assets);
}

dialog?.addEventListener('change', (event) => {
  const box = event.target;
  if (!(box instanceof HTMLInputElement) || !box.matches('.tick')) return;
  if (!box.checked) chosen.delete(box.value);
  else {
    if (most === 1) chosen.clear();
    const { name = '', type = '', url = '', thumbnail, alt, size } = box.dataset;
    chosen.set(box.value, {
      id: box.value, name, type, url, thumbnailUrl: thumbnail || null, altText: alt || null, size: Number(size),
    });
  }
  show();
});

dialog?.addEventListener('click', (event) => {
  const act = event.target instanceof Element ? event.target.closest('[data-picker]')?.getAttribute('data-picker') : '';
  if (act === 'close') end([]);
  if (act === 'use') end([...chosen.values()]);
});

dialog?.addEventListener('close', () => { // by a key; otherwise it has ended, and may be open again
  if (dialog instanceof HTMLDialogElement && !dialog.open) end([]);
});
dialog?.addEventListener('htmx:afterSettle', show);

/**
 * Opens the dialog, and returns the files that the person chose, in the order of choosing; none after Cancel.
 * @param {{most?: number, cover?: string, kind?: string, type?: string}} [options] the channel and the kind of the post whose cover is chosen @returns {Promise<Asset[]>}
 */
export function pick(options = {}) {
  if (!(dialog instanceof HTMLDialogElement)) return Promise.resolve([]);
  end([]);
  chosen.clear();
  most = options.most ?? Infinity;
  show();
  const body = dialog.querySelector('.pickerbody');
  body?.setAttribute('hx-vals', JSON.stringify({ cover: options.cover, kind: options.kind, type: options.type }));
  body?.dispatchEvent(new CustomEvent('open'));
  dialog.showModal();
  return new Promise((resolve) => { settle = resolve; });
}
