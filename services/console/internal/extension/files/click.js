// What happens on a click: the page is read once, and the form of the application opens with what was found.
import { collect } from './collect.js';
import { formOf, profile } from './profile.js';
import { settings } from './settings.js';

const status = /** @type {HTMLElement} */ (document.querySelector('#status'));
const choices = /** @type {HTMLElement} */ (document.querySelector('#choices'));
document.querySelector('#settings')?.addEventListener('click', () => chrome.runtime.openOptionsPage());

/** @param {string} address */
async function opens(address) {
  await chrome.windows.create({ url: address, type: 'popup', width: 560, height: 820 });
  window.close();
}

async function capture() {
  const { installations, linkedin } = await settings();
  if (installations.length === 0) {
    status.textContent = 'Enter the address of your Fencepost first.';
    return;
  }
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const [injected] = await chrome.scripting.executeScript({ target: { tabId: tab?.id ?? 0 }, func: collect, args: [linkedin] });
  const found = injected?.result;
  if (!found) throw new Error('nothing was read');
  if (found.refused) {
    status.textContent = 'LinkedIn is off. You can allow it in the settings: only the address and the text that you select are read there.';
    return;
  }
  const lead = profile(found);
  const key = crypto.randomUUID();
  const [only, second] = installations;
  if (only && !second) return opens(formOf(only, lead, key));
  status.textContent = 'Where do you want to save it?';
  for (const one of installations) {
    const button = document.createElement('button');
    button.textContent = new URL(one).host;
    button.addEventListener('click', () => opens(formOf(one, lead, key)));
    const item = document.createElement('li');
    item.append(button);
    choices.append(item);
  }
}

capture().catch(() => {
  status.textContent = 'This page can’t be read. Open the profile in a tab, and click again.';
});
