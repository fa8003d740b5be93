// The files of a form: chosen by a button, pasted, or dropped on the page. Each is uploaded in a row of its own.

import { Upload } from './upload.js';

/** Calls send with the files that a person chooses, pastes or drops. @param {HTMLInputElement} chooser @param {(files: File[]) => void} send */
export function receive(chooser, send) {
  /** @param {Event} event @param {FileList | undefined} list */
  const got = (event, list) => {
    const files = [...(list ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    send(files);
  };
  chooser.addEventListener('change', (event) => {
    got(event, chooser.files ?? undefined);
    chooser.value = '';
  });
  document.addEventListener('paste', (event) => got(event, event.clipboardData?.files));
  document.addEventListener('dragover', (event) => { if (event.dataTransfer?.types.includes('Files')) event.preventDefault(); });
  document.addEventListener('drop', (event) => got(event, event.dataTransfer?.files));
}

let sending = 0;

/** Reports whether a file is on its way. */
export function busy() { return sending > 0; }

/**
 * Uploads a file, whose progress a row shows, and calls done with what it became.
 * @param {Element | undefined} row @param {File} file @param {Element | null} form @param {(asset: {id: string, thumbnailUrl: string | null}) => void} done
 */
export function upload(row, file, form, done) {
  const bar = row?.querySelector('progress');
  const status = row?.querySelector('[role=status]');
  const retry = row?.querySelector('[data-retry]');
  if (!bar || !status || !(retry instanceof HTMLElement)) return undefined;
  bar.hidden = false;
  const going = new Upload(file, {
    base: form?.getAttribute('data-base') ?? '',
    onProgress: (item) => {
      bar.value = item.size > 0 ? Math.floor((100 * item.sent) / item.size) : 0;
      status.textContent = item.fault || { offline: 'Offline', finishing: 'Checking the file' }[/** @type {string} */ (item.state)] || '';
      retry.hidden = item.state !== 'failed' || !item.retryable;
    },
  });
  const run = async () => {
    sending += 1;
    const asset = await going.run();
    sending -= 1;
    if (!asset) return;
    bar.hidden = true;
    done(asset);
  };
  retry.addEventListener('click', run);
  run();
  return going;
}
