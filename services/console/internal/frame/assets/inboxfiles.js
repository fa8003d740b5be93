// The file of an answer: uploaded by a button, by paste or by dropping it on the page, or chosen from the library. An answer has
// one file.

import { busy, receive, upload } from './attach.js';
import { pick } from './mediapicker.js';

{
  const form = document.querySelector('form#reply');
  const list = document.querySelector('#attached');
  const chooser = document.querySelector('#reply #files');
  const pattern = document.querySelector('template#chip');
  const text = document.querySelector('#reply textarea');

  /** Lets a file be sent without a text. */
  function check() {
    if (text instanceof HTMLTextAreaElement) text.required = !list?.querySelector('[name=media]:not([value=""])');
  }

  /** Puts a file in place of the one before. @param {string} name @param {string} id empty: it is on its way */
  function show(name, id) {
    if (!(pattern instanceof HTMLTemplateElement) || !list) return undefined;
    list.querySelectorAll('[data-remove]').forEach((button) => button instanceof HTMLElement && button.click());
    list.append(document.importNode(pattern.content, true));
    const chip = list.lastElementChild;
    const field = chip?.querySelector('input');
    const label = chip?.querySelector('bdi');
    if (!(chip instanceof HTMLElement) || !field || !label) return undefined;
    label.textContent = name;
    field.setAttribute('value', id);
    check();
    return chip;
  }

  /** @param {File} file */
  function send(file) {
    const chip = show(file.name, '');
    const going = upload(chip, file, form, (asset) => {
      chip?.querySelector('input')?.setAttribute('value', asset.id);
      check();
    });
    chip?.querySelector('[data-remove]')?.addEventListener('click', () => { if (going && going.state !== 'failed') going.cancel(); });
  }

  if (form instanceof HTMLFormElement && list && chooser instanceof HTMLInputElement) {
    form.querySelectorAll('[data-attach][hidden], [data-library][hidden]').forEach((button) => button.removeAttribute('hidden'));
    form.addEventListener('click', async (event) => {
      if (!(event.target instanceof Element)) return;
      if (event.target.closest('[data-attach]')) chooser.click();
      if (event.target.closest('[data-library]')) {
        const [asset] = await pick({ most: 1 });
        if (asset) show(asset.name, asset.id);
      }
      const remove = event.target.closest('[data-remove]');
      if (!remove) return;
      remove.closest('.chip')?.remove();
      check();
      if (event.isTrusted) form.querySelector('textarea')?.focus();
    });
    receive(chooser, ([file]) => { if (file) send(file); });
    form.addEventListener('submit', (event) => {
      const status = list.querySelector('[role=status]');
      if (!busy()) return;
      event.preventDefault();
      if (status) status.textContent = 'Wait until the file has arrived, then send.';
    });
    check();
  }
}
