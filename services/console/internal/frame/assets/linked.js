// Own texts of channels that follow the common text, except for handles, parameters of links, and a signature. A text follows
// as long as it is what the common text gives for its channel; nothing else is stored.

/**
 * @typedef {{kind: string, name: string, text: string, handles: Record<string, string>, channels: string[], automatic: boolean}} Text
 * @typedef {{texts: Text[], networks: Record<string, string>, links: {active: boolean, automatic: boolean, short: boolean}}} Kept
 * @typedef {[from: string, to: string][]} Links
 * @typedef {{tags?: boolean, signature?: Text}} Shape what a text has besides the common text
 */

/** Inserts a text at the caret, so that Ctrl Z takes it back. @param {HTMLTextAreaElement} area @param {string} text */
export function insert(area, text) {
  area.focus();
  if (document.execCommand('insertText', false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Replaces links of a text. @param {string} text @param {Links} links */
function tagged(text, links) {
  const longest = [...links].sort(([a], [b]) => b.length - a.length);
  return text.replace(/https?:\/\/[^\s<>"]+/gi, (found) => {
    for (const [from, to] of longest) {
      if (found.startsWith(from) && !/[\p{L}\p{N}/?#=&%]/u.test(found.slice(from.length))) return to + found.slice(from.length);
    }
    return found;
  });
}

/** @param {HTMLFormElement} form @param {HTMLTextAreaElement} common @param {Kept} kept */
export function linked(form, common, kept) {
  const signatures = kept.texts.filter(({ kind }) => kind === 'SIGNATURE');
  /** @type {Map<string, Links>} by the channel's ID */
  const links = new Map();
  let last = common.value;

  /** @type {Map<string, Text>} mentions by their handles */
  const known = new Map();
  for (const one of kept.texts) for (const handle of Object.values(one.handles)) if (!known.has(handle)) known.set(handle, one);
  const handles = [...known.keys()].sort((a, b) => b.length - a.length).map((handle) => handle.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  const mention = handles.length > 0 ? new RegExp(`(?<![\\p{L}\\p{N}_@])(?:${handles.join('|')})(?![\\p{L}\\p{N}_@]|[.-][\\p{L}\\p{N}])`, 'gu') : null;

  /** @returns {HTMLTextAreaElement[]} */
  const areas = () => [...form.querySelectorAll('textarea[data-name^="text."]')].filter((area) => area instanceof HTMLTextAreaElement);
  /** @param {HTMLTextAreaElement} area */
  const channelOf = (area) => (area.getAttribute('data-name') ?? '').replace('text.', '');
  /** @param {string} id */
  const picked = (id) => form.querySelector(`[name=channel][value="${id}"]:checked`) !== null;
  /** @param {Text} one @param {string} id */
  const called = (one, id) => one.handles[kept.networks[id] ?? ''] ?? one.name;

  /** Returns the text of a channel. @param {string} text the common text @param {string} id @param {Shape} shape */
  function derived(text, id, { tags, signature }) {
    if (text.trim() === '') return text;
    let own = mention ? text.replace(mention, (handle) => called(/** @type {Text} */ (known.get(handle)), id)) : text;
    if (tags) own = tagged(own, links.get(id) ?? []);
    return signature ? `${own.trimEnd()}\n\n${signature.text}` : own;
  }

  /** Returns how a text follows the common one; undefined: it has words of its own. @param {HTMLTextAreaElement} area @param {string} text */
  function shapeOf(area, text) {
    if (!area.hasAttribute('name')) return {};
    for (const signature of [undefined, ...signatures]) {
      for (const tags of [false, true]) if (area.value === derived(text, channelOf(area), { tags, signature })) return { tags, signature };
    }
    return undefined;
  }

  /** Gives a channel a text. @param {HTMLTextAreaElement} area @param {string} text */
  function write(area, text) {
    if (text === common.value) {
      area.value = text;
      area.removeAttribute('name');
    } else if (text !== area.value || !area.hasAttribute('name')) {
      area.value = text;
      area.dispatchEvent(new Event('input', { bubbles: true }));
    }
  }

  /** Gives the channels that follow what the common text is for them. @param {(id: string, shape: Shape) => Shape} change */
  function spread(change) {
    for (const area of areas()) {
      const id = channelOf(area);
      const shape = picked(id) ? shapeOf(area, common.value) : undefined;
      if (shape) write(area, derived(common.value, id, change(id, shape)));
    }
  }

  /** Adds the automatic signature of a channel. @param {string} id */
  function sign(id) {
    const area = areas().find((one) => channelOf(one) === id);
    const signature = signatures.find(({ automatic, channels }) => automatic && channels.includes(id));
    if (!area || !signature || area.hasAttribute('name') || common.value.includes(signature.text)) return;
    write(area, derived(common.value, id, { signature }));
  }

  function signAll() {
    for (const area of areas()) if (picked(channelOf(area))) sign(channelOf(area));
  }

  /** Follows a change of the common text. */
  function follow() {
    const before = last;
    last = common.value;
    if (before === last) return;
    for (const area of areas()) {
      const shape = area.hasAttribute('name') ? shapeOf(area, before) : undefined;
      if (shape) write(area, derived(last, channelOf(area), shape));
    }
    if (before.trim() === '') signAll();
  }

  /** Reads the links that get parameters, or short addresses. @param {'links' | 'shorten'} what @returns {Promise<{varies: boolean, common: Links, channels: Record<string, Links>}>} */
  async function readLinks(what = 'links') {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value);
    const response = await fetch(`${form.getAttribute('data-base')}/compose/${what}`, { method: 'POST', body });
    if (!response.ok) throw new Error(response.statusText);
    const found = await response.json();
    for (const [id, list] of Object.entries(found.channels)) links.set(id, list);
    return found;
  }

  /** Returns a function that brings the texts back as they are now. */
  function snapshot() {
    const before = [common, ...areas()].map((area) => ({ area, value: area.value, name: area.getAttribute('name') }));
    return () => {
      for (const { area, value, name } of before) {
        area.value = value;
        if (name) area.dispatchEvent(new Event('input', { bubbles: true }));
        else area.removeAttribute('name');
      }
    };
  }

  return {
    follow, sign,

    /** Reads what is needed to follow texts with parameters, and signs those of a new post. @param {boolean} fresh */
    async begin(fresh) {
      if (fresh) signAll();
      if (kept.links.active && /https?:/i.test(common.value) && areas().some((area) => area.hasAttribute('name'))) await readLinks();
    },

    /** Inserts a mention: in the common text the handle that most channels have. @param {HTMLTextAreaElement} area @param {Text} one */
    mention(area, one) {
      if (area !== common) {
        insert(area, called(one, channelOf(area)));
        return;
      }
      const ids = areas().map(channelOf);
      const used = ids.filter(picked).map((id) => one.handles[kept.networks[id] ?? '']).filter((handle) => handle !== undefined);
      const times = (/** @type {string} */ handle) => used.filter((other) => other === handle).length;
      const usual = [...used].sort((a, b) => times(b) - times(a) || a.length - b.length)[0];
      insert(area, usual ?? (ids.some(picked) ? one.name : Object.values(one.handles)[0] ?? one.name));
      spread((_, shape) => shape);
    },

    /** Adds a signature to its channels, or to the text where it has none of those picked. @param {HTMLTextAreaElement} area @param {Text} one */
    signature(area, one) {
      if (area === common && one.channels.some(picked)) {
        spread((id, shape) => (one.channels.includes(id) ? { ...shape, signature: one } : shape));
        return;
      }
      area.setSelectionRange(area.value.trimEnd().length, area.value.length);
      insert(area, `${area.value.trim() ? '\n\n' : ''}${one.text}`);
    },

    /**
     * Adds parameters to links, or shortens them.
     * @param {'links' | 'shorten'} what
     * @returns {Promise<{count: number, undo: () => void}>} the number of links of all texts
     */
    async tag(what = 'links') {
      const found = await readLinks(what);
      const undo = snapshot();
      const all = new Set(found.common.map(([from]) => from));
      if (found.common.length > 0) {
        common.value = tagged(common.value, found.common);
        common.dispatchEvent(new Event('input', { bubbles: true }));
      }
      for (const area of areas()) {
        const id = channelOf(area);
        const list = found.channels[id] ?? [];
        const shape = shapeOf(area, common.value);
        if (list.length === 0 || !picked(id) || (shape && !found.varies)) continue;
        const before = area.value;
        write(area, shape ? derived(common.value, id, { ...shape, tags: true }) : tagged(area.value, list));
        if (area.value !== before) for (const [from] of list) all.add(from);
      }
      return { count: all.size, undo };
    },
  };
}
