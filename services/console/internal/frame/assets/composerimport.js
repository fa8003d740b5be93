// Takes a file from an address into the library and the post.

/**
 * @param {HTMLFormElement} form
 * @param {string} base address of the workspace
 * @param {(ids: string[]) => void} add adds assets to the post
 */
export function importing(form, base, add) {
  const dialog = document.querySelector('#fromaddress');
  const asked = dialog?.querySelector('form');
  const field = dialog?.querySelector('input');
  const fault = dialog?.querySelector('.fault');
  const button = dialog?.querySelector('button.primary');
  if (!(dialog instanceof HTMLDialogElement) || !asked || !field || !fault || !(button instanceof HTMLButtonElement)) return;

  /** @param {string} text */
  function tell(text) {
    if (!fault || !field) return;
    fault.textContent = text;
    field.setAttribute('aria-invalid', String(text !== ''));
    if (text) field.focus();
  }

  form.addEventListener('click', (event) => {
    if (!(event.target instanceof Element) || !event.target.closest('[data-address]')) return;
    tell('');
    dialog.showModal();
    field.select();
  });

  dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close());

  asked.addEventListener('submit', async (event) => {
    event.preventDefault();
    tell('');
    button.disabled = true;
    try {
      const response = await fetch(`${base}/media/import`, {
        method: 'POST', body: new URLSearchParams({ address: field.value.trim(), json: '1' }), headers: { 'HX-Request': 'true' },
      });
      if (response.headers.has('HX-Redirect')) {
        tell('Your session has ended. Sign in again in another tab, then try again.');
        return;
      }
      const found = await response.json();
      if (!response.ok) {
        tell(found.detail ?? 'The file was not imported. Try again.');
        return;
      }
      add([found.id]);
      field.value = '';
      dialog.close();
    } catch {
      tell('No connection to the service. Try again.');
    } finally {
      button.disabled = false;
    }
  });
}
