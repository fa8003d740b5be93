// The question before posts are published at once. It names the channels; Enter confirms.

/**
 * @param {HTMLFormElement} form
 * @returns {(by: HTMLElement | null) => boolean} asks, if a form that a button sends would publish now and nobody confirmed it
 */
export function sure(form) {
  const dialog = document.querySelector('#sure');
  const confirm = dialog?.querySelector('button.primary');
  const list = dialog?.querySelector('ul');
  const heading = dialog?.querySelector('h2');
  /** @type {HTMLElement | null} */
  let by = null;
  let confirmed = false;

  confirm?.addEventListener('click', () => {
    confirmed = true;
    if (dialog instanceof HTMLDialogElement) dialog.close();
    form.requestSubmit(by);
    confirmed = false;
  });

  return (button) => {
    const now = form.querySelector('[name=when][value=now]:checked');
    const publishes = button?.id === 'go' || button?.getAttribute('name') === 'ready';
    if (confirmed || !now || !publishes || !(dialog instanceof HTMLDialogElement) || !list || !heading) return false;
    const ready = (form.querySelector('#findings')?.getAttribute('data-ready') ?? '').split(' ');
    const rows = [...form.querySelectorAll('.chan[data-channel]:has(.tick:checked)')]
      .filter((row) => button?.id === 'go' || ready.includes(row.getAttribute('data-channel') ?? ''));
    if (rows.length === 0) return false;
    by = button;
    heading.textContent = rows.length === 1 ? 'Publish 1 post now?' : `Publish ${rows.length} posts now?`;
    list.replaceChildren(...rows.map((row) => {
      const item = document.createElement('li');
      item.textContent = row.querySelector('.tick')?.getAttribute('aria-label')?.replace(/^(Publish to|Change) /, '') ?? '';
      return item;
    }));
    if (confirm) confirm.textContent = rows.length === 1 ? 'Publish now' : `Publish ${rows.length} now`;
    dialog.showModal();
    return true;
  };
}
