/** @typedef {{installations: string[], linkedin: boolean}} Settings */

/** @returns {Promise<Settings>} */
export async function settings() {
  const kept = await chrome.storage.local.get({ installations: [], linkedin: false });
  return /** @type {Settings} */ (kept);
}

/**
 * Returns the address of an installation as it is kept; empty: it is none. Without https only this machine can be one.
 * @param {string} text
 */
export function installation(text) {
  const address = URL.parse(/^https?:\/\//.test(text.trim()) ? text.trim() : `https://${text.trim()}`);
  if (!address || !address.hostname.includes('.') && address.hostname !== 'localhost') return '';
  if (address.protocol !== 'https:' && !/^(localhost|127\.0\.0\.1)$/.test(address.hostname)) return '';
  return address.origin;
}
