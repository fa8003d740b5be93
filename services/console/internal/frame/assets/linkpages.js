// Link pages: moves blocks by dragging them, shows designs and texts before they are saved, and opens the library. Without this
// file blocks move by their buttons, and pictures are chosen from a list.

import { pick } from './mediapicker.js';
import { toast } from './toast.js';

{
  document.documentElement.classList.add('lpscript');
  const frame = document.querySelector('iframe[data-preview]');

  /** Loads the preview again. @param {string} [query] */
  function preview(query = '') {
    if (frame instanceof HTMLIFrameElement) frame.src = (frame.dataset.preview ?? '') + query;
  }

  /** @param {string} text */
  function say(text) {
    const place = document.querySelector('#said');
    if (place) place.textContent = text;
  }

  /** @param {HTMLElement} block @param {string} after the block before it; empty: it is the first */
  async function move(block, after) {
    const form = block.querySelector('.lpmoves');
    if (!(form instanceof HTMLFormElement)) return;
    const body = new URLSearchParams({ to: after ? 'after' : 'first', after });
    let refusal = 'The block was not moved: the connection was lost. Try again.';
    try {
      const response = await fetch(form.action, { method: 'POST', body, headers: { 'HX-Request': 'true' } });
      const text = response.headers.get('Content-Type')?.startsWith('text/plain') ? await response.text() : '';
      refusal = response.ok ? '' : text || 'The block was not moved. Reload the page and try again.';
    } catch { /* the text says so */ }
    if (refusal) toast({ text: refusal, bad: true });
    else say('Moved.');
    document.querySelector('#blocks')?.dispatchEvent(new CustomEvent('live'));
    preview();
  }

  /** @type {{block: HTMLElement, y: number, before: Element | null | undefined} | undefined} */
  let held;

  const others = () => [...document.querySelectorAll('.lpblock[data-block]')].filter((other) => other !== held?.block);

  /** @param {boolean} drop */
  function release(drop) {
    if (!held) return;
    const { block, before } = held;
    held = undefined;
    block.classList.remove('lift');
    block.style.translate = '';
    document.querySelectorAll('.lpblock.target').forEach((other) => other.classList.remove('target'));
    if (!drop || before === undefined || before === block.nextElementSibling) return;
    const list = block.parentElement;
    list?.insertBefore(block, before);
    const previous = block.previousElementSibling;
    move(block, previous instanceof HTMLElement ? previous.dataset.block ?? '' : '');
  }

  document.addEventListener('pointerdown', (event) => {
    const grip = event.target instanceof Element ? event.target.closest('.lpgrip') : null;
    const block = grip?.closest('.lpblock');
    if (!(block instanceof HTMLElement) || event.button !== 0) return;
    event.preventDefault();
    held = { block, y: event.clientY, before: undefined };
    block.classList.add('lift');
  });

  document.addEventListener('pointermove', (event) => {
    if (!held) return;
    held.block.style.translate = `0 ${event.clientY - held.y}px`;
    const next = others().find((other) => {
      const box = other.getBoundingClientRect();
      return event.clientY < box.top + box.height / 2;
    });
    held.before = next ?? null;
    for (const other of others()) other.classList.toggle('target', other === next);
  });

  document.addEventListener('pointerup', () => release(true));
  document.addEventListener('pointercancel', () => release(false));

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') release(false);
    const row = event.target instanceof Element ? event.target.closest('a[data-row]') : null;
    if (!row || !event.altKey || event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    const block = row.closest('.lpblock');
    const button = block?.querySelector(event.key === 'ArrowUp' ? '[value=up]' : '[value=down]');
    event.preventDefault();
    if (button instanceof HTMLButtonElement && !button.disabled) button.click();
  });

  for (const button of document.querySelectorAll('[data-choose]')) {
    if (!(button instanceof HTMLElement)) continue;
    const list = document.getElementById(button.dataset.choose ?? '');
    button.hidden = false;
    button.addEventListener('click', async () => {
      const [asset] = await pick({ most: 1, type: 'IMAGE' });
      if (!asset || !(list instanceof HTMLSelectElement)) return;
      if (![...list.options].some((option) => option.value === asset.id)) list.add(new Option(asset.name, asset.id));
      list.value = asset.id;
      list.focus();
    });
  }

  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-version]') : null;
    if (!link) return;
    document.querySelectorAll('a[data-version]').forEach((other) => other.removeAttribute('aria-current'));
    link.setAttribute('aria-current', 'true');
  });

  const tries = document.querySelector('form[data-tries]');
  tries?.addEventListener('change', () => {
    if (!(tries instanceof HTMLFormElement)) return;
    const data = new FormData(tries);
    preview(`?${new URLSearchParams(['theme', 'accent', 'appearance'].map((name) => [name, String(data.get(name) ?? '')]))}`);
  });

  for (const source of document.querySelectorAll('[data-mirror]')) {
    if (!(source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement)) continue;
    source.addEventListener('input', () => {
      for (const target of document.querySelectorAll(`[data-mirrors="${source.dataset.mirror}"]`)) {
        target.textContent = source.value.trim() || source.placeholder;
      }
    });
  }
}
