// Passkeys: a form with data-passkey asks the browser to create or to use one, and sends the response in its field
// "credential". Without support for passkeys, or without this file, the form stays hidden.

/** @typedef {'create' | 'get'} Ceremony */

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<any>} the options of the ceremony
 */
async function options(form) {
  const response = await fetch(form.dataset.options ?? '', { method: 'POST', redirect: 'error' }).catch(() => null);
  if (!response?.ok) throw new Error('Reload the page, then try again.');
  return response.json();
}

/**
 * @param {Ceremony} ceremony
 * @param {any} publicKey
 */
async function ask(ceremony, publicKey) {
  const found = ceremony === 'create'
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
  if (!(found instanceof PublicKeyCredential)) throw new Error('The device returned no passkey.');
  return found;
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof DOMException && error.name === 'InvalidStateError') return 'This device has a passkey of yours already.';
  if (error instanceof DOMException) return 'No passkey was used. Try again, or choose another way.';
  return error instanceof Error ? error.message : String(error);
}

/** @param {HTMLFormElement} form */
function prepare(form) {
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const said = form.querySelector('[role=status]');
    if (said) said.textContent = '';
    try {
      const found = await ask(/** @type {Ceremony} */ (form.dataset.passkey), await options(form));
      /** @type {HTMLInputElement} */ (form.elements.namedItem('credential')).value = JSON.stringify(found.toJSON());
      form.submit();
    } catch (error) {
      if (said) said.textContent = explain(error);
    }
  });
}

if (window.PublicKeyCredential && 'parseCreationOptionsFromJSON' in PublicKeyCredential) {
  document.querySelectorAll('form[data-passkey]').forEach((form) => prepare(/** @type {HTMLFormElement} */ (form)));
  document.querySelectorAll('[data-no-passkey]').forEach((text) => text.setAttribute('hidden', ''));
}
