// What the browser extension captured: it comes behind the # of the address, stays in this window across sign-in, and fills the
// form of a new lead. Pages of others wrote it: it becomes the values of fields, nothing else.
{
  const kept = 'captured-lead';
  const longest = 10_000;
  const given = location.hash.slice(1);

  if (document.querySelector('[data-capture]')) {
    if (given !== '' && given.length <= longest) sessionStorage.setItem(kept, given);
    history.replaceState(null, '', location.pathname);
    const onward = document.querySelector('a[data-forward]');
    if (onward instanceof HTMLAnchorElement) location.replace(onward.href);
  }

  const form = document.querySelector('form[data-captures]');
  const captured = sessionStorage.getItem(kept);
  if (form instanceof HTMLFormElement && given === 'captured' && captured) {
    const values = new URLSearchParams(captured);
    const fields = { name: 'name', handle: 'handle', url: 'profile_url', platform: 'platform', interest: 'interest', key: 'capture' };
    for (const [from, name] of Object.entries(fields)) {
      const field = form.elements.namedItem(name);
      const value = values.get(from) ?? '';
      if (value === '' || !(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement)) continue;
      field.value = name === 'capture' ? `extension/${value.slice(0, 80)}` : value;
    }
  }
}
