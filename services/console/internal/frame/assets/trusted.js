// The only policy of Trusted Types: a text becomes HTML only while htmx replaces a part of the page with a response of
// the application. No text ever becomes a script, but the address of the service worker.
{
  let swapping = false;
  // htmx swaps within the task that announces it.
  const announce = () => {
    swapping = true;
    queueMicrotask(() => { swapping = false; });
  };
  document.addEventListener('htmx:beforeSwap', announce);
  document.addEventListener('htmx:historyCacheMissLoad', announce);
  /** @type {{createPolicy(name: string, rules: Record<string, (text: string) => string | null>): unknown} | undefined} */
  const types = Reflect.get(globalThis, 'trustedTypes');
  types?.createPolicy('default', {
    createHTML: (html) => (swapping ? html : null),
    createScriptURL: (url) => (url === '/service-worker.js' ? url : null),
  });
}
