// An import of leads goes on by itself. The pipeline is in board.js.
{
  const more = document.querySelector('form[data-continue]');
  if (more instanceof HTMLFormElement) setTimeout(() => more.requestSubmit(), 1000);
}
