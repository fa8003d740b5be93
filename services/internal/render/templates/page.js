(function () {
  'use strict';
  // The same forms as in the page: 2 January 2006, 15:04 MST.
  function day(at) { return at.toLocaleDateString('en-GB', { dateStyle: 'long' }); }
  function clock(at) { return at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' }); }

  // The page has times in UTC. Convert them to the visitor's time zone.
  document.querySelectorAll('time[data-local]').forEach(function (el) {
    var at = new Date(el.dateTime);
    if (isNaN(at)) return;
    el.textContent = el.dataset.local === 'date' ? day(at) : day(at) + ', ' + clock(at);
  });

  var clocks = [];
  document.querySelectorAll('[data-until]').forEach(function (el) {
    var until = Date.parse(el.dataset.until);
    if (isFinite(until)) clocks.push({ el: el, until: until, parts: el.querySelectorAll('b') });
  });
  function tick() {
    var now = Date.now();
    clocks = clocks.filter(function (clock) {
      var left = Math.floor((clock.until - now) / 1000);
      clock.el.hidden = false;
      if (left < 0) {
        clock.el.textContent = clock.el.dataset.ended;
        clock.el.className = 'ended';
        return false;
      }
      [Math.floor(left / 86400), Math.floor(left / 3600) % 24, Math.floor(left / 60) % 60, left % 60].forEach(function (n, i) {
        var text = i && n < 10 ? '0' + n : String(n);
        if (clock.parts[i].textContent !== text) clock.parts[i].textContent = text;
      });
      return true;
    });
    if (clocks.length) setTimeout(tick, 1000 - (now % 1000));
  }
  tick();

  if (!navigator.clipboard) return;
  document.querySelectorAll('button[data-copy]').forEach(function (button) {
    var label = Array.from(button.childNodes), timer;
    button.hidden = false;
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', function () {
      navigator.clipboard.writeText(button.dataset.copy).then(function () {
        button.replaceChildren('Copied');
        clearTimeout(timer);
        timer = setTimeout(function () { button.replaceChildren.apply(button, label); }, 2000);
      }, function () {});
    });
  });
})();
