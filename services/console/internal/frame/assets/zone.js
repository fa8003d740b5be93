// Fills in the browser's time zone where a form asks for one for the first time, and offers it elsewhere.
{
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const field of document.querySelectorAll('input[data-zone]')) {
    if (!(field instanceof HTMLInputElement) || !own || field.value === own) continue;
    if (field.getAttribute('data-zone') === 'preset') {
      if (!field.getAttribute('aria-invalid')) field.value = own;
      continue;
    }
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'secondary small';
    button.textContent = `Use ${own.replaceAll('_', ' ')}`;
    button.addEventListener('click', () => {
      field.value = own;
      button.remove();
    });
    field.after(button);
  }
}
