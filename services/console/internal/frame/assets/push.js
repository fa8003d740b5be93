// Lets the browser show notifications while the application is closed: it asks for permission, and sends what the service needs to
// reach this device.
{
  const form = document.querySelector('form[data-push]');
  const key = form?.getAttribute('data-push') ?? '';
  const able = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

  /** @param {string} text */
  function say(text) {
    const fault = document.querySelector('[data-push-fault]');
    if (!(fault instanceof HTMLElement)) return;
    fault.textContent = text;
    fault.hidden = text === '';
  }

  /** @param {HTMLFormElement} into */
  async function subscribe(into) {
    if (await Notification.requestPermission() !== 'granted') {
      say('Notifications are blocked. Allow them for this site in your browser, then try again.');
      return;
    }
    const worker = await navigator.serviceWorker.ready;
    const device = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    const { endpoint, keys } = device.toJSON();
    const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(navigator.userAgent)?.[0] ?? 'Unknown system';
    const browser = /Edg|Firefox|Chrome|Safari/.exec(navigator.userAgent)?.[0].replace('Edg', 'Edge') ?? 'Browser';
    const values = { endpoint, key: keys?.p256dh, auth: keys?.auth, name: `${browser} on ${system.replace('Mac OS', 'Mac')}` };
    for (const [name, value] of Object.entries(values)) {
      const field = into.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.value = value ?? '';
    }
    into.submit();
  }

  if (form instanceof HTMLFormElement && able) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      say('');
      subscribe(form).catch(() => say('This browser can’t get notifications from here. Try another one.'));
    });
  }
}
