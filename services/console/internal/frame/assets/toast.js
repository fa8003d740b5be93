// Shows what an action did, with a way to take it back.

const rest = 10; // seconds that a note stays

/** @param {{text: string, undo?: () => void, bad?: boolean}} of */
export function toast({ text, undo, bad }) {
  const place = document.querySelector('.toasts');
  if (!place) return;
  const note = document.createElement('p');
  note.className = bad ? 'notice bad' : 'notice';
  note.append(text);
  if (undo) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'undo';
    button.textContent = 'Undo';
    button.addEventListener('click', () => {
      note.remove();
      undo();
    });
    note.append(button);
  }
  place.replaceChildren(note);
  let left = rest;
  const timer = setInterval(() => { // it stays while a person points at it or has its button in focus
    if (document.hidden || note.matches(':hover, :focus-within')) return;
    left -= 1;
    if (left > 0 && note.isConnected) return;
    clearInterval(timer);
    note.remove();
  }, 1000);
}
