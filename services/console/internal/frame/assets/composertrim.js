// Trims a video of the post to the length that a network takes. The library keeps the whole video.

import { toast } from './toast.js';

const pause = 1500; // milliseconds between questions whether the part is made

/**
 * @param {HTMLFormElement} form
 * @param {string} base address of the workspace
 * @param {(id: string, other: string) => void} replace puts an asset in the place of another one
 * @returns {(wanted: string) => void} opens the dialog for a video, with its greatest and its present length in seconds
 */
export function trimming(form, base, replace) {
  const dialog = document.querySelector('#trimming');
  const asked = dialog?.querySelector('form');
  const video = dialog?.querySelector('video');
  const fault = dialog?.querySelector('.fault');
  const button = dialog?.querySelector('button.primary');
  let id = '';
  if (!(dialog instanceof HTMLDialogElement) || !asked || !video || !fault || !(button instanceof HTMLButtonElement)) return () => {};

  /** @param {string} name @param {string} value @param {string} most */
  function fill(name, value, most) {
    for (const field of dialog?.querySelectorAll(`#trimming-${name}, [data-for="trimming-${name}"]`) ?? []) {
      if (!(field instanceof HTMLInputElement)) continue;
      field.max = most;
      field.value = value;
    }
  }

  /** @param {string} address @param {URLSearchParams=} body @returns {Promise<{id?: string, made?: boolean, detail?: string}>} */
  async function ask(address, body) {
    const response = await fetch(address, body ? { method: 'POST', body, headers: { 'HX-Request': 'true' } } : {});
    if (response.headers.has('HX-Redirect') || response.redirected) return { detail: 'Your session has ended. Sign in again in another tab, then try again.' };
    const found = await response.json();
    return response.ok ? found : { detail: found.detail ?? 'The video was not trimmed. Try again.' };
  }

  /** Waits until the part is made, and returns why it was not; empty if it was. @param {string} part */
  async function made(part) {
    for (;;) {
      const { made: done, detail } = await ask(`${base}/media/${part}?json=1`);
      if (done || detail) return detail ?? '';
      await new Promise((go) => { setTimeout(go, pause); });
    }
  }

  asked.addEventListener('submit', async (event) => {
    event.preventDefault();
    fault.textContent = '';
    button.disabled = true;
    button.textContent = 'Trimming…';
    const of = id;
    let reason = '';
    try {
      const body = new URLSearchParams({ json: '1' });
      for (const [name, value] of new FormData(asked)) body.set(name, String(value));
      const started = await ask(`${base}/media/${of}/trim`, body);
      reason = started.detail ?? await made(started.id ?? '');
      if (!reason) {
        replace(of, started.id ?? '');
        if (id === of) dialog.close();
        toast({ text: 'The video is trimmed. The library keeps the whole one.' });
      }
    } catch {
      reason = 'No connection to the service. Try again.';
    }
    button.disabled = false;
    button.textContent = 'Trim';
    fault.textContent = reason;
    if (reason && !dialog.open) toast({ text: reason, bad: true });
  });

  dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => video.pause());

  return (wanted) => {
    const [file = '', longest = '', whole = ''] = wanted.split(' ');
    id = file;
    fault.textContent = '';
    video.src = form.querySelector(`.shot[data-media="${file}"]`)?.getAttribute('data-video') ?? '';
    fill('start', '0', whole);
    fill('end', longest, whole);
    const hint = dialog.querySelector('#trimming-hint');
    if (hint) hint.textContent = `At most ${longest} seconds. The post gets the part; the start may move to a key frame up to some seconds earlier.`;
    dialog.showModal();
  };
}
