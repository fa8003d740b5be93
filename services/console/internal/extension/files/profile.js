/** @typedef {ReturnType<typeof import('./collect.js').collect>} Found */

/** @typedef {{platform: string, hosts: RegExp, path: RegExp, profile: (handle: string) => string, not?: RegExp}} Network */

/** Addresses of profiles: the first group of the path is the handle. @type {Network[]} */
const networks = [
  {
    platform: 'INSTAGRAM', hosts: /^(www\.)?instagram\.com$/, path: /^\/(?:stories\/)?([\w.]{1,30})(?:\/|$)/,
    not: /^(p|reel|reels|explore|accounts|direct|tv|about|legal|stories)$/, profile: (handle) => `https://www.instagram.com/${handle}/`,
  },
  {
    platform: 'FACEBOOK', hosts: /^((www|m|web)\.)?facebook\.com$/, path: /^\/(?:people\/[^/]+\/(?=\d))?([\w.]{2,60})(?:\/|$)/,
    not: /^(watch|groups|events|marketplace|reel|pages|gaming|stories|photo|photo\.php|login|login\.php|help|settings|people|profile\.php|permalink\.php|story\.php|share|sharer)$/,
    profile: (handle) => `https://www.facebook.com/${handle}`,
  },
  { platform: 'LINKEDIN', hosts: /^([a-z]{2,3}\.)?linkedin\.com$/, path: /^\/in\/([^/]{3,100})/, profile: (handle) => `https://www.linkedin.com/in/${handle}/` },
  { platform: 'LINKEDIN', hosts: /^([a-z]{2,3}\.)?linkedin\.com$/, path: /^\/company\/([^/]{1,100})/, profile: (handle) => `https://www.linkedin.com/company/${handle}/` },
  {
    platform: 'TWITTER', hosts: /^((www|mobile)\.)?(x|twitter)\.com$/, path: /^\/(\w{1,15})(?:\/|$)/,
    not: /^(home|explore|i|search|messages|notifications|settings|hashtag|intent|share|login|compose|tos|privacy)$/,
    profile: (handle) => `https://x.com/${handle}`,
  },
  { platform: 'TIKTOK', hosts: /^((www|m)\.)?tiktok\.com$/, path: /^\/@([\w.]{2,24})(?:\/|$)/, profile: (handle) => `https://www.tiktok.com/@${handle}` },
  { platform: 'THREADS', hosts: /^(www\.)?threads\.(net|com)$/, path: /^\/@([\w.]{1,30})(?:\/|$)/, profile: (handle) => `https://www.threads.com/@${handle}` },
  { platform: 'YOUTUBE', hosts: /^((www|m)\.)?youtube\.com$/, path: /^\/@([^/]{3,60})/, profile: (handle) => `https://www.youtube.com/@${handle}` },
  { platform: 'YOUTUBE', hosts: /^((www|m)\.)?youtube\.com$/, path: /^\/channel\/(UC[\w-]{22})/, profile: (handle) => `https://www.youtube.com/channel/${handle}` },
  {
    platform: 'PINTEREST', hosts: /^([a-z]{2,3}\.)?pinterest\.(com|[a-z]{2}|com?\.[a-z]{2})$/, path: /^\/(\w{3,30})(?:\/|$)/,
    not: /^(pin|ideas|search|today|business|settings|login|about|_tools)$/, profile: (handle) => `https://www.pinterest.com/${handle}/`,
  },
  { platform: 'BLUESKY', hosts: /^bsky\.app$/, path: /^\/profile\/([\w.:-]{3,253})(?:\/|$)/, profile: (handle) => `https://bsky.app/profile/${handle}` },
];

/** @param {string} text @returns {URL | null} */
function web(text) {
  const address = URL.parse(text);
  return address && /^https?:$/.test(address.protocol) && !address.username && !address.password ? address : null;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The name without what networks write beside it. @param {string} title */
function plainName(title) {
  return (title.split(/ \(@| \(\d|[|•·–—]| - (?:YouTube|Instagram|Facebook|Pinterest)| on (?:X|Threads|TikTok|Pinterest)\b|\/ X$/)[0] ?? '').trim();
}

/**
 * Returns what is known of the person or the company whose profile was read. The page wrote all of it, so it is not trusted.
 * @param {Found} found
 */
export function profile(found) {
  const address = web(found.address);
  const lead = { name: '', handle: '', url: '', platform: '', interest: found.selected };
  if (!address) return lead;
  const id = address.searchParams.get('id') ?? '';
  for (const { platform, hosts, path, not, profile: page } of networks) {
    if (!hosts.test(address.hostname)) continue;
    lead.platform = platform;
    const handle = decoded(path.exec(address.pathname)?.[1] ?? '');
    if (platform === 'FACEBOOK' && address.pathname === '/profile.php' && /^\d{5,20}$/.test(id)) {
      lead.url = `https://www.facebook.com/profile.php?id=${id}`;
    } else if (handle !== '' && !not?.test(handle)) {
      [lead.handle, lead.url] = [handle, page(encodeURIComponent(handle).replaceAll('%3A', ':'))];
    }
    if (lead.url !== '') break;
  }
  // Any server may be one of Mastodon: its profiles name the account.
  const [user, server] = found.username.replace(/^@/, '').split('@');
  if (lead.platform === '' && /^\/@\w+/.test(address.pathname) && /^\w{1,60}$/.test(user ?? '') && /^[\w.-]+\.\w+$/.test(server ?? '')) {
    [lead.platform, lead.handle, lead.url] = ['MASTODON', `${user}@${server}`, `https://${address.host}${address.pathname}`];
  }
  const canonical = web(found.canonical);
  if (lead.url === '') {
    const page = canonical && canonical.host === address.host ? canonical : address;
    lead.url = page.href.split('#')[0] ?? '';
  }
  lead.name = (found.name || plainName(found.shown) || plainName(found.title) || lead.handle).slice(0, 200);
  return lead;
}

/**
 * Returns the address that fills the form of the application. No server receives what is behind the #.
 * @param {string} installation @param {ReturnType<typeof profile>} lead @param {string} key of this capture
 */
export function formOf(installation, lead, key) {
  return `${installation}/leads/capture#${new URLSearchParams({ ...lead, key })}`;
}
