// Updates the page: fetches the list of posts when it changes, and updates the relative times.
"use strict";

(() => {
  const pause = 2000;
  const feed = document.getElementById("feed");
  const status = document.getElementById("status");
  let tag = feed ? feed.dataset.tag : "";

  // The same texts as on the server.
  const relative = (seconds) => {
    if (seconds < 5) return "just now";
    if (seconds < 60) return `${Math.floor(seconds)} s ago`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
    if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
    if (seconds < 172800) return "1 day ago";
    return `${Math.floor(seconds / 86400)} days ago`;
  };

  const age = () => {
    for (const time of document.querySelectorAll("time[data-relative]")) {
      const words = relative((Date.now() - Date.parse(time.dateTime)) / 1000);
      if (time.textContent !== words) time.textContent = words;
    }
  };

  const newest = () => Math.max(0, ...[...feed.querySelectorAll("[data-seq]")].map((card) => Number(card.dataset.seq)));

  // Unchanged cards stay in place: videos continue to play and images do not flicker. Both lists have the same order.
  const merge = (list, wanted) => {
    const cards = [...wanted.children];
    const stay = new Set(cards.map((card) => card.dataset.seq));
    for (const card of [...list.children]) if (!stay.has(card.dataset.seq)) card.remove();
    let at = list.firstElementChild;
    for (const card of cards) {
      if (at && at.dataset.seq === card.dataset.seq) at = at.nextElementSibling;
      else list.insertBefore(card, at);
    }
  };

  const show = (markup) => {
    const before = newest();
    const focused = feed.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const height = document.documentElement.scrollHeight;
    // The server's markup, already escaped. It is parsed as a separate document, so that no script runs.
    const parsed = new DOMParser().parseFromString(markup, "text/html");
    const list = feed.querySelector(".list");
    const wanted = parsed.querySelector(".list");
    if (list && wanted) {
      merge(list, wanted);
      for (const node of [...feed.childNodes]) if (node !== list) node.remove();
      const nodes = [...parsed.body.childNodes];
      list.before(...nodes.slice(0, nodes.indexOf(wanted)));
      list.after(...nodes.slice(nodes.indexOf(wanted) + 1));
    } else {
      feed.replaceChildren(...parsed.body.childNodes);
    }
    // Keeps the scroll position and the focused link.
    if (window.scrollY > 0) window.scrollBy(0, document.documentElement.scrollHeight - height);
    if (focused) [...feed.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus({ preventScroll: true });
    const fresh = [...feed.querySelectorAll("[data-seq]")].filter((card) => Number(card.dataset.seq) > before);
    fresh.forEach((card) => card.classList.add("fresh"));
    if (fresh.length > 0) status.textContent = fresh.length === 1 ? "1 new post" : `${fresh.length} new posts`;
  };

  const refresh = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(`/posts${location.search}`, { headers: { "If-None-Match": tag }, cache: "no-store" });
      if (answer.status === 200) {
        const markup = await answer.text();
        tag = answer.headers.get("ETag") || "";
        show(markup);
      }
      if (status.dataset.lost) {
        status.textContent = "";
        delete status.dataset.lost;
      }
    } catch {
      status.textContent = "The sandbox does not respond; retrying.";
      status.dataset.lost = "yes";
    }
  };

  age();
  setInterval(age, 1000);

  const account = document.getElementById("account");
  if (account) account.addEventListener("change", () => account.form.submit());

  if (feed && feed.dataset.live === "yes") {
    const loop = async () => {
      await refresh();
      setTimeout(loop, pause);
    };
    setTimeout(loop, pause);
    document.addEventListener("visibilitychange", refresh);
  }
})();
