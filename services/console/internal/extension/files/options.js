import { installation, settings } from './settings.js';

const form = /** @type {HTMLFormElement} */ (document.querySelector('#form'));
const field = /** @type {HTMLTextAreaElement} */ (document.querySelector('#installations'));
const linkedin = /** @type {HTMLInputElement} */ (document.querySelector('#linkedin'));
const status = /** @type {HTMLElement} */ (document.querySelector('#status'));

const kept = await settings();
field.value = kept.installations.join('\n');
linkedin.checked = kept.linkedin;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const lines = field.value.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  const wrong = lines.find((line) => installation(line) === '');
  if (wrong !== undefined) {
    status.textContent = `“${wrong}” is not an address that begins with https://. Correct it, and save again.`;
    field.focus();
    return;
  }
  const installations = [...new Set(lines.map(installation))];
  await chrome.storage.local.set({ installations, linkedin: linkedin.checked });
  field.value = installations.join('\n');
  status.textContent = 'Saved.';
});
