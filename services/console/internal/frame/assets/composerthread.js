// The threads and first comments of the composer. The service draws them again after each change of the number or the order of
// the parts; until then no text can be changed.

/** Marks in a text what is too much for its network, and makes its field as high as the text. @param {HTMLTextAreaElement} area @param {Element | null} marks */
export function draw(area, marks) {
  const mirror = area.parentElement?.querySelector('.mirror');
  const fits = Number(marks?.getAttribute('data-fits') ?? -1);
  if (!mirror) return;
  if (fits < 0 || fits >= area.value.length) {
    mirror.textContent = `${area.value}\n`;
    return;
  }
  const mark = document.createElement('mark');
  mark.textContent = area.value.slice(fits);
  mirror.replaceChildren(area.value.slice(0, fits), mark, '\n');
}

/**
 * @param {HTMLFormElement} form
 * @param {(after?: number) => void} edited tells that the form was changed
 * @param {(id: string, text: string, own: boolean) => void} write gives a channel a text
 */
export function thread(form, edited, write) {
  const place = () => form.querySelector('#thread');
  const wished = () => form.querySelector('#thread > [name=parts]') !== null;
  /** @returns {HTMLTextAreaElement[]} */
  const areas = () => [...form.querySelectorAll('textarea')];
  const lock = () => areas().forEach((area) => { area.readOnly = wished(); });
  const paint = () => place()?.querySelectorAll('.ink textarea').forEach((area) => {
    if (area instanceof HTMLTextAreaElement) draw(area, form.querySelector(`#marks-${area.id}`));
  });

  /** @type {string[]} */
  let queue = []; // what follows the arrangement under way

  /** Says of a move by how many places it is (sign -1), or to which one (sign 1). @param {string} value @param {number} sign */
  function moved(value, sign) {
    const [verb, key, to] = value.split(' ');
    const at = place()?.querySelector(`[data-part="${key}"]`)?.getAttribute('data-at');
    return verb === 'move' ? `move ${key} ${Number(to) + sign * Number(at ?? 0)}` : value;
  }

  /** Does what a button says, with the next response. @param {string} value */
  function arrange(value) {
    if (wished()) {
      queue.push(moved(value, -1));
      return;
    }
    const wish = document.createElement('input');
    wish.type = 'hidden';
    wish.name = 'parts';
    wish.value = value;
    place()?.append(wish);
    edited(0);
  }

  /** Shows the response of the service. */
  function redrawn() {
    place()?.querySelectorAll('[data-written]').forEach((text) => {
      write(text.getAttribute('data-written') ?? '', text.textContent ?? '', text.hasAttribute('data-own'));
      text.remove();
    });
    const shown = form.querySelector('[name=target]'); // another channel than that of the request
    place()?.querySelectorAll('.thread').forEach((one) => {
      if (shown instanceof HTMLInputElement) one.toggleAttribute('hidden', one.getAttribute('data-for') !== shown.value);
    });
    paint();
    const next = place()?.querySelector('[autofocus]');
    if (next instanceof HTMLTextAreaElement) next.focus();
    next?.removeAttribute('autofocus');
    const following = wished() ? undefined : queue.shift();
    if (following) arrange(moved(following, 1));
  }

  // htmx would add the button that has the focus, and send the form to its address.
  form.addEventListener('htmx:configRequest', (event) => {
    if (event.target !== form || !(event instanceof CustomEvent)) return;
    event.detail.path = form.getAttribute('hx-post');
    const wish = form.querySelector('#thread > [name=parts]');
    if (wish instanceof HTMLInputElement) event.detail.parameters.parts = wish.value;
    else delete event.detail.parameters.parts;
  });
  form.addEventListener('htmx:beforeRequest', (event) => { if (event.target === form) lock(); });
  form.addEventListener('htmx:afterRequest', (event) => {
    if (event.target !== form || !(event instanceof CustomEvent)) return;
    areas().forEach((area) => { area.readOnly = false; });
    const status = event.detail.xhr?.status ?? 0;
    if (status < 400 || status >= 500) return; // it is sent again
    form.querySelector('#thread > [name=parts]')?.remove();
    queue = [];
  });
  form.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button[name=parts]') : null;
    if (!(button instanceof HTMLButtonElement)) return;
    event.preventDefault();
    arrange(button.value);
  });
  form.addEventListener('input', (event) => {
    if (event.target instanceof HTMLTextAreaElement && event.target.closest('#thread .ink')) draw(event.target, null);
  });
  form.addEventListener('keydown', (event) => {
    const part = event.target instanceof Element ? event.target.closest('.part') : null;
    if (!part || !event.altKey || !event.shiftKey || !['ArrowUp', 'ArrowDown'].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    move(part, Number(part.getAttribute('data-at')) + (event.key === 'ArrowUp' ? -1 : 1));
  });

  /** @param {Element} part @param {number} to */
  function move(part, to) {
    if (to >= 0 && to < (part.parentElement?.children.length ?? 0)) arrange(`move ${part.getAttribute('data-part')} ${to}`);
  }

  /** @type {Element | null} */
  let dragged = null;
  form.addEventListener('dragstart', (event) => {
    dragged = event.target instanceof Element ? event.target.closest('.grip')?.closest('.part') ?? null : null;
    if (dragged) event.dataTransfer?.setDragImage(dragged, 16, 16);
  });
  form.addEventListener('dragend', () => { dragged = null; });
  /** @param {DragEvent} event */
  const over = (event) => {
    const part = event.target instanceof Element ? event.target.closest('.part') : null;
    return dragged && part?.parentElement === dragged.parentElement ? part : null;
  };
  form.addEventListener('dragover', (event) => { if (over(event)) event.preventDefault(); });
  form.addEventListener('drop', (event) => {
    const part = over(event);
    if (!part || !dragged) return;
    event.preventDefault();
    if (part !== dragged) move(dragged, Number(part.getAttribute('data-at')));
  });

  paint();
  return { arrange, redrawn };
}
