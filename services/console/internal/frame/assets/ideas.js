// The pictures of an idea: uploaded by a button, by paste or by dropping them on the page, or chosen from the library. Unchecked
// ones are removed when the form is sent.

import { busy, receive, upload } from './attach.js';
import { pick } from './mediapicker.js';

{
  const form = document.querySelector('form.ideaform');
  const list = document.querySelector('#attached');
  const chooser = document.querySelector('.ideaform #files');
  const pattern = document.querySelector('template#picturerow');

  /** Adds a row. @param {string} name */
  function add(name) {
    if (!(pattern instanceof HTMLTemplateElement) || !list) return undefined;
    list.append(document.importNode(pattern.content, true));
    const row = list.lastElementChild;
    const label = row?.querySelector('bdi');
    if (!(row instanceof HTMLElement) || !label) return undefined;
    label.textContent = name;
    return row;
  }

  /** Puts a file into its row. @param {Element} row @param {{id: string, thumbnailUrl: string | null}} asset */
  function fill(row, { id, thumbnailUrl }) {
    const [box, picture] = [row.querySelector('input'), row.querySelector('img')];
    if (box) {
      box.value = id;
      box.disabled = false;
    }
    if (!picture || !thumbnailUrl) return;
    picture.src = thumbnailUrl;
    picture.hidden = false;
  }

  /** @param {File} file */
  function send(file) {
    const row = add(file.name);
    const box = row?.querySelector('input');
    if (!row || !box) return;
    box.disabled = true;
    upload(row, file, form, (asset) => fill(row, asset));
  }

  if (form instanceof HTMLFormElement && list && chooser instanceof HTMLInputElement) {
    form.querySelector('[data-adds]')?.removeAttribute('hidden');
    form.addEventListener('click', async (event) => {
      if (!(event.target instanceof Element)) return;
      if (event.target.closest('[data-attach]')) chooser.click();
      if (!event.target.closest('[data-library]')) return;
      for (const asset of await pick()) {
        if (list.querySelector(`[name=media][value="${CSS.escape(asset.id)}"]`)) continue;
        const row = add(asset.name);
        if (row) fill(row, asset);
      }
    });
    receive(chooser, (files) => files.forEach(send));
    form.addEventListener('submit', (event) => {
      if (!busy()) return;
      event.preventDefault();
      const status = list.querySelector('li:last-child [role=status]');
      if (status) status.textContent = 'Wait until the file has arrived, then save.';
    });
  }
}
