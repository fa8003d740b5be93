// Inserts into the texts of the composer: emoji by their short names while a person types or from a dialog, saved hashtags,
// mentions, snippets and signatures; adds parameters to links, and shortens them.

import { insert, linked } from './linked.js';
import { toast } from './toast.js';

/** @typedef {import('./linked.js').Text} Text */

{
  const form = document.querySelector('#composer');
  const box = document.querySelector('#insertbox');
  const list = document.querySelector('#completions');
  const common = form?.querySelector('#text');
  if (form instanceof HTMLFormElement && box instanceof HTMLDialogElement && list instanceof HTMLElement && common instanceof HTMLTextAreaElement) {
    begin(form, box, list, common);
  }

  /** @param {HTMLFormElement} form @param {HTMLDialogElement} box @param {HTMLElement} list @param {HTMLTextAreaElement} common */
  async function begin(form, box, list, common) {
    /** @type {import('./linked.js').Kept} */
    let kept = { texts: [], networks: {}, links: { active: false, automatic: false, short: false } };
    const fresh = form.querySelector('[name=version]')?.getAttribute('value') === '0';
    try {
      const response = await fetch(`${form.getAttribute('data-base')}/compose/texts`);
      if (response.ok) kept = await response.json();
    } catch { /* without a connection there are only emoji */ }
    const texts = linked(form, common, kept);
    const shown = () => /** @type {HTMLTextAreaElement} */ (form.querySelector('[data-for]:not([hidden]) .ink textarea') ?? common);
    form.querySelector('[data-insert=links]')?.toggleAttribute('hidden', !kept.links.active);
    form.querySelector('[data-insert=shorten]')?.toggleAttribute('hidden', !kept.links.short);
    const suggestions = completions(list, kept.texts, texts.mention);

    /** Adds parameters to links. @param {boolean} asked by the person */
    async function tag(asked) {
      let text = 'Parameters could not be added. Check your connection and try again.';
      try {
        const { count, undo } = await texts.tag();
        if (count > 0) {
          toast({ text: count === 1 ? 'Parameters added to 1 link.' : `Parameters added to ${count} links.`, undo });
          return;
        }
        text = form.querySelector('[name=channel]:checked') ? 'No link needs parameters.' : 'Choose a channel first.';
      } catch { /* said below */ }
      if (asked) toast({ text });
    }

    async function shorten() {
      let text = 'Links could not be shortened. Check your connection and try again.';
      try {
        const { count, undo } = await texts.tag('shorten');
        if (count > 0) {
          toast({ text: count === 1 ? '1 link shortened.' : `${count} links shortened.`, undo });
          return;
        }
        text = form.querySelector('[name=channel]:checked') ? 'No link to shorten.' : 'Choose a channel first.';
      } catch { /* said below */ }
      toast({ text });
    }

    const wants = () => kept.links.automatic && /https?:\/\//i.test(`${common.value} ${shown().value}`);

    form.addEventListener('input', (event) => {
      const area = event.target;
      if (!(area instanceof HTMLTextAreaElement) || !area.closest('.ink')) return;
      if (area === common) texts.follow();
      if (area === document.activeElement) suggestions.complete(area, area !== common ? kept.networks[(area.getAttribute('data-name') ?? '').replace('text.', '')] : undefined);
    });
    form.addEventListener('change', (event) => {
      const field = event.target;
      if (field instanceof HTMLInputElement && field.name === 'channel' && field.checked) {
        texts.sign(field.value);
        if (wants()) tag(false);
      }
      if (field instanceof HTMLTextAreaElement && field.closest('.ink') && wants()) tag(false);
    });
    form.addEventListener('keydown', suggestions.key, true);
    form.addEventListener('keydown', (event) => { // through the blanks of a snippet, and then on as everywhere
      if (!filling || event.defaultPrevented || !(event.target instanceof HTMLTextAreaElement)) return;
      if (event.key === 'Tab' && !event.shiftKey && toBlank(event.target, event.target.selectionEnd)) event.preventDefault();
      else if (event.key === 'Tab' || event.key === 'Escape') filling = false;
    });
    form.addEventListener('beforeinput', (event) => { // the line break of a key that chose something
      if (event.inputType === 'insertLineBreak' && entered) event.preventDefault();
    });
    form.addEventListener('focusout', suggestions.hide);
    addEventListener('scroll', suggestions.place, true);
    addEventListener('resize', suggestions.place);

    const dialog = picker(box, kept.texts, (chosen) => {
      const area = shown();
      if (typeof chosen === 'string') insert(area, chosen);
      else if (chosen.kind === 'MENTION') texts.mention(area, chosen);
      else if (chosen.kind === 'SIGNATURE') texts.signature(area, chosen);
      else {
        const at = area.selectionStart;
        insert(area, (/\S$/.test(area.value.slice(0, at)) ? ' ' : '') + chosen.text);
        filling = toBlank(area, at);
      }
    }, () => shown().focus());
    form.addEventListener('click', (event) => {
      const button = event.target instanceof Element ? event.target.closest('[data-insert]') : null;
      const what = button?.getAttribute('data-insert') ?? '';
      if (what === 'links') tag(true);
      else if (what === 'shorten') shorten();
      else if (button) dialog.open(what, button);
    });
    await texts.begin(fresh).catch(() => {}); // the texts then follow no more
  }

  let entered = false; // the key that is down chose something
  document.addEventListener('keyup', () => { entered = false; });
  let filling = false; // a person goes through the blanks of a snippet

  /** Selects the next blank, such as {price}; false if there is none. @param {HTMLTextAreaElement} area @param {number} from */
  function toBlank(area, from) {
    const found = /\{[^{}\n]{1,60}\}/.exec(area.value.slice(from));
    if (!found) return false;
    area.setSelectionRange(from + found.index, from + found.index + found[0].length);
    return true;
  }

  /** @type {Promise<[string, string[][]][]> | undefined} */
  let loading;
  /** Returns the emoji by group, which are loaded once. */
  const emoji = () => (loading ??= import('./npm/emoji.js').then(({ groups }) => groups));

  /** Returns the emoji that fit words, the best first. @param {[string, string[][]][]} groups @param {string} words @param {number} most */
  function search(groups, words, most) {
    const wanted = words.toLowerCase().replaceAll('_', ' ').trim();
    /** @type {string[][][]} */
    const ranks = [[], [], [], []];
    for (const [, all] of groups) {
      for (const one of all) {
        const names = one.slice(1).map((name) => name.replaceAll('_', ' '));
        if (names.includes(wanted)) ranks[0]?.push(one);
        else if (names.some((name) => name.startsWith(wanted))) ranks[1]?.push(one);
        else if (names.some((name) => name.includes(` ${wanted}`))) ranks[2]?.push(one);
        else if (names.some((name) => name.includes(wanted))) ranks[3]?.push(one);
      }
    }
    return ranks.flat().slice(0, most);
  }

  /** Returns where the caret of a text is. The mirror behind it has the same words. @param {HTMLTextAreaElement} area @param {number} at */
  function caret(area, at) {
    const mirror = area.parentElement?.querySelector('.mirror');
    const range = document.createRange();
    let left = at;
    if (mirror) {
      const walk = document.createTreeWalker(mirror, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const length = node.textContent?.length ?? 0;
        if (left <= length) {
          range.setStart(node, left);
          break;
        }
        left -= length;
      }
    }
    const place = range.getBoundingClientRect();
    return place.height > 0 ? place : area.getBoundingClientRect();
  }

  /**
   * Suggests emoji after a colon, mentions after an at sign, and saved hashtags after a hash, while a person types.
   * @param {HTMLElement} list @param {Text[]} texts @param {(area: HTMLTextAreaElement, one: Text) => void} mention
   */
  function completions(list, texts, mention) {
    /** @type {HTMLTextAreaElement | undefined} */
    let area;
    let start = 0;
    let current = 0;
    /** @type {(string[] | Text)[]} */
    let found = [];

    function hide() {
      list.hidden = true;
      found = [];
      for (const name of ['aria-controls', 'aria-activedescendant', 'aria-autocomplete']) area?.removeAttribute(name);
    }

    /** Keeps the list beside the word. */
    function place() {
      if (list.hidden || !area) return;
      const word = caret(area, start);
      const below = word.bottom + list.offsetHeight + 8 < innerHeight;
      list.style.left = `${Math.max(8, Math.min(word.left, innerWidth - list.offsetWidth - 8))}px`;
      list.style.top = `${below ? word.bottom + 4 : Math.max(8, word.top - list.offsetHeight - 4)}px`;
    }

    /** @param {number} to */
    function select(to) {
      current = (to + found.length) % found.length;
      [...list.children].forEach((row, i) => row.setAttribute('aria-selected', String(i === current)));
      area?.setAttribute('aria-activedescendant', `completion-${current}`);
    }

    /** @param {number} i */
    function choose(i) {
      const one = found[i];
      const into = area;
      hide();
      if (!one || !into) return;
      into.setSelectionRange(start, into.selectionStart);
      if (Array.isArray(one)) {
        insert(into, one[0] ?? '');
        remember(one[0] ?? '');
      } else if (one.kind === 'HASHTAGS') insert(into, one.text);
      else mention(into, one);
      hide(); // the word that was inserted suggests nothing
    }

    /** @param {string=} network of the text; undefined: it is the common one */
    function show(network) {
      list.replaceChildren(...found.map((one, i) => {
        const row = document.createElement('li');
        row.id = `completion-${i}`;
        row.setAttribute('role', 'option');
        const hashtags = !Array.isArray(one) && one.kind === 'HASHTAGS';
        const [sign, name] = Array.isArray(one) ? [one[0] ?? '', `:${one[2]}:`] : [hashtags ? '#' : '@', one.name];
        const mark = document.createElement('span');
        mark.textContent = sign;
        row.append(mark, name);
        if (!Array.isArray(one)) {
          const handle = document.createElement('small');
          handle.textContent = hashtags ? one.text : network ? one.handles[network] ?? '' : Object.values(one.handles)[0] ?? '';
          row.append(handle);
        }
        return row;
      }));
      list.hidden = false;
      area?.setAttribute('aria-controls', list.id);
      area?.setAttribute('aria-autocomplete', 'list');
      place();
      select(0);
    }

    list.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      const row = event.target instanceof Element ? event.target.closest('li') : null;
      if (row) choose([...list.children].indexOf(row));
    });

    return {
      hide, place,

      /** @param {HTMLTextAreaElement} from @param {string=} network */
      async complete(from, network) {
        hide();
        const before = from.value.slice(0, from.selectionStart);
        const match = /(?<![^\s([{“„"'])([:@#])([\p{L}\p{N}_+.-]+)(:?)$/u.exec(before);
        if (!match || from.selectionStart !== from.selectionEnd) return;
        const [whole, sign, words = '', closed] = match;
        const wanted = words.toLowerCase();
        if (sign === '#') {
          found = closed ? [] : texts.filter(({ kind, name, text }) => kind === 'HASHTAGS'
            && [name, ...text.replaceAll('#', '').split(/\s+/)].some((one) => one.toLowerCase().startsWith(wanted))).slice(0, 6);
        } else if (sign === '@') {
          found = closed ? [] : texts.filter(({ kind, name, handles }) => kind === 'MENTION'
            && [name, ...Object.values(handles)].some((text) => text.toLowerCase().replace('@', '').startsWith(wanted))).slice(0, 6);
        } else {
          const groups = await emoji();
          if (words.length < 2) return;
          if (from.value.slice(0, from.selectionStart) !== before || document.activeElement !== from) return;
          found = search(groups, words, 6);
          if (closed) found = found.filter((one) => Array.isArray(one) && one.slice(2).includes(words)).slice(0, 1);
        }
        if (found.length === 0) return;
        area = from;
        start = before.length - whole.length;
        if (closed) choose(0);
        else show(network);
      },

      /** @param {KeyboardEvent} event */
      key(event) {
        if (list.hidden || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
        if (!['ArrowDown', 'ArrowUp', 'Enter', 'Tab', 'Escape'].includes(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
        if (event.key === 'ArrowDown') select(current + 1);
        else if (event.key === 'ArrowUp') select(current - 1);
        else if (event.key === 'Escape') hide();
        else {
          choose(current);
          entered = event.key === 'Enter';
        }
      },
    };
  }

  const memory = 'emoji';
  /** @returns {string[]} the emoji that were used last */
  function recent() {
    try {
      const stored = JSON.parse(localStorage.getItem(memory) ?? '[]');
      return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
    } catch {
      return [];
    }
  }

  /** @param {string} one */
  function remember(one) {
    try {
      localStorage.setItem(memory, JSON.stringify([one, ...recent().filter((other) => other !== one)].slice(0, 32)));
    } catch { /* the browser stores nothing */ }
  }

  const titles = { emoji: 'Emoji', HASHTAGS: 'Saved hashtags', MENTION: 'Mention', SNIPPET: 'Snippets and signatures' };

  /**
   * The dialog in which a person chooses.
   * @param {HTMLDialogElement} box @param {Text[]} texts @param {(chosen: string | Text) => void} use @param {() => void} back
   */
  function picker(box, texts, use, back) {
    const part = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (box.querySelector(selector));
    const field = /** @type {HTMLInputElement} */ (box.querySelector('input'));
    const [groups, choices, nothing, title] = [part('.groups'), part('.choices'), part('.nothing'), part('h2')];
    let what = 'emoji';
    let group = '';
    /** @type {(string | Text)[]} */
    let shown = [];

    /** @param {string} text @param {string} label @param {string} value */
    function groupButton(text, label, value) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'ghost small';
      button.textContent = text;
      if (label !== text) button.setAttribute('aria-label', label);
      button.setAttribute('aria-pressed', String(value === group));
      button.dataset.group = value;
      return button;
    }

    /** @param {string[][]} list */
    function drawEmoji(list) {
      shown = list.map(([one = '']) => one);
      choices.replaceChildren(...list.map(([one = '', description = '', name = '']) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = one;
        button.setAttribute('aria-label', description);
        button.title = `:${name}:`;
        return button;
      }));
    }

    /** @param {Text[]} list */
    function drawTexts(list) {
      shown = list;
      choices.replaceChildren(...list.map((one) => {
        const button = document.createElement('button');
        button.type = 'button';
        const name = document.createElement('strong');
        name.textContent = one.name;
        const words = document.createElement('small');
        words.textContent = one.text || Object.values(one.handles).join(' ');
        button.append(name, words);
        return button;
      }));
    }

    async function draw() {
      const wanted = field.value.trim().toLowerCase();
      box.classList.toggle('emoji', what === 'emoji');
      groups.hidden = wanted !== '' || (what !== 'emoji' && what !== 'SNIPPET');
      if (what === 'emoji') {
        const all = await emoji();
        const names = new Map(all.flatMap(([, list]) => list.map((one) => [one[0] ?? '', one])));
        const used = recent().map((one) => names.get(one) ?? []).filter(([one]) => one);
        if (!group) group = used.length > 0 ? 'Recent' : all[0]?.[0] ?? '';
        groups.replaceChildren(...(used.length > 0 ? [groupButton('🕘', 'Recent', 'Recent')] : []),
          ...all.map(([name, list]) => groupButton(list[0]?.[0] ?? '', name, name)));
        drawEmoji(wanted ? search(all, wanted, 80) : group === 'Recent' ? used : all.find(([name]) => name === group)?.[1] ?? []);
      } else {
        if (!group) group = what;
        groups.replaceChildren(...(what === 'SNIPPET' ? [groupButton('Snippets', 'Snippets', 'SNIPPET'), groupButton('Signatures', 'Signatures', 'SIGNATURE')] : []));
        drawTexts(texts.filter(({ kind, name, text, handles }) => (wanted && what === 'SNIPPET' ? kind === 'SNIPPET' || kind === 'SIGNATURE' : kind === group)
          && [name, text, ...Object.values(handles)].some((words) => words.toLowerCase().includes(wanted))));
      }
      nothing.textContent = shown.length > 0 ? '' : wanted ? 'Nothing fits. Try another word.' : 'None yet. Add some under Manage.';
      choices.scrollTop = 0;
    }

    /** @param {number} i */
    function choose(i) {
      const one = shown[i];
      if (one === undefined) return;
      if (typeof one === 'string') remember(one);
      box.close();
      back();
      use(one);
    }

    field.addEventListener('input', draw);
    box.addEventListener('close', back);
    box.addEventListener('click', (event) => {
      if (!(event.target instanceof Element)) return;
      const button = event.target.closest('button');
      if (event.target === box || button?.getAttribute('data-insert') === 'close') {
        box.close();
      } else if (button?.dataset.group) {
        group = button.dataset.group;
        draw().then(() => part(`[data-group="${CSS.escape(group)}"]`)?.focus());
      } else if (button && choices.contains(button)) choose([...choices.children].indexOf(button));
    });
    box.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') entered = true;
      if (event.target === field && event.key === 'Enter') {
        event.preventDefault();
        choose(0);
        return;
      }
      const all = /** @type {HTMLElement[]} */ ([...choices.children]);
      const at = event.target instanceof HTMLElement ? all.indexOf(event.target) : -1;
      if (event.target === field && event.key !== 'ArrowDown' || event.target !== field && at < 0) return;
      const across = Math.max(1, all.filter((one) => one.offsetTop === all[0]?.offsetTop).length);
      const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: at < 0 ? 1 : across, ArrowUp: -across }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      (all[at + by] ?? (by < 0 ? field : all[at]))?.focus();
    });

    return {
      /** @param {string} kind @param {Element} button that opens it */
      open(kind, button) {
        what = kind;
        group = '';
        field.value = '';
        title.textContent = titles[/** @type {keyof typeof titles} */ (kind)];
        draw();
        box.showModal();
        const place = button.getBoundingClientRect();
        box.style.setProperty('--left', `${Math.max(8, Math.min(place.left, innerWidth - box.offsetWidth - 8))}px`);
        box.style.setProperty('--top', `${Math.max(8, Math.min(place.bottom + 6, innerHeight - box.offsetHeight - 8))}px`);
        field.focus();
      },
    };
  }
}
