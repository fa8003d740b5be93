/**
 * Reads the page. It runs inside of the page, so it uses nothing from outside of it, and calls methods of prototypes, because
 * elements of a page may hide those of its document.
 *
 * On LinkedIn it reads only the address and what the person selected, and nothing unless the person allowed that.
 * @param {boolean} linkedin whether the person allowed it
 */
export function collect(linkedin) {
  const { querySelector, querySelectorAll } = Document.prototype;
  /** @param {unknown} value @param {number} longest */
  const text = (value, longest) => (typeof value === 'string' ? value.trim().slice(0, longest) : '');
  /** @param {string} selector @param {string} attribute */
  const read = (selector, attribute) => text(querySelector.call(document, selector)?.getAttribute(attribute), 2000);

  const onLinkedIn = /(^|\.)linkedin\.com$/.test(location.hostname);
  const found = { address: text(location.href, 2000), canonical: '', title: '', shown: '', name: '', username: '', selected: '', refused: false };
  if (onLinkedIn && !linkedin) return { ...found, address: '', refused: true };
  found.selected = text(String(window.getSelection() ?? ''), 2000);
  if (onLinkedIn) return found;
  found.canonical = read('link[rel="canonical"]', 'href');
  found.shown = read('meta[property="og:title"]', 'content');
  found.username = read('meta[property="profile:username"]', 'content');
  found.title = text(querySelector.call(document, 'head > title')?.textContent, 500);

  /** @param {unknown} data @param {number} depth @returns {string} the name of a person or an organization */
  const named = (data, depth) => {
    if (typeof data !== 'object' || data === null || depth > 4) return '';
    if (Array.isArray(data)) return data.slice(0, 20).map((one) => named(one, depth + 1)).find((name) => name !== '') ?? '';
    const one = /** @type {Record<string, unknown>} */ (data);
    if (/Person|Organization|Business/.test(String(one['@type']))) return text(one['name'], 200);
    return named(one['mainEntity'], depth + 1) || named(one['author'], depth + 1) || named(one['@graph'], depth + 1);
  };
  for (const script of [...querySelectorAll.call(document, 'script[type="application/ld+json"]')].slice(0, 10)) {
    const data = script.textContent ?? '';
    if (found.name !== '' || data.length > 100_000) continue;
    try {
      found.name = named(JSON.parse(data), 0);
    } catch {
      // not JSON: the page has no name there
    }
  }
  return found;
}
