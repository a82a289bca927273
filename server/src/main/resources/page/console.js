// What the console does beyond forms and links. Every page works without it.
"use strict";
(() => {
  const $ = (query, root = document) => root.querySelector(query);
  const all = (query, root = document) => [...root.querySelectorAll(query)];

  // Copy buttons appear only where they can work.
  const enable = (root) => {
    if (navigator.clipboard) all("[data-copy]", root).forEach((button) => { button.hidden = false; });
  };
  enable(document);
  document.addEventListener("htmx:load", (event) => enable(event.target));
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    if (button.dataset.busy) return;
    button.dataset.busy = "1";
    const before = button.innerHTML;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "✓";
    } catch {
      button.textContent = "✕";
    }
    setTimeout(() => { button.innerHTML = before; delete button.dataset.busy; }, 1200);
  });

  // Shortcuts, listed on "?".
  const places = { o: "/console", d: "/console/decisions", p: "/console/passports", a: "/console/approvals" };
  let going = 0;
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "?") {
      const help = $("#shortcuts");
      if (help) help.showModal();
    } else if (event.key === "/") {
      const search = $("[data-search]");
      if (search) { event.preventDefault(); search.focus(); }
    } else if (event.key === "g") {
      going = Date.now();
    } else if (Date.now() - going < 5000 && places[event.key]) {
      going = 0;
      location.assign(places[event.key]);
    }
  });

  // A panel that a link asks for is seen.
  const asked = $("details.move[open] input[name=reason]");
  if (asked) asked.focus();

  // What is being written is looked at again until it is there.
  const again = async () => {
    const part = $("[data-again]");
    if (!part || !part.dataset.again) return;
    try {
      const answer = await fetch(part.dataset.again);
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = $("[data-again]", next);
      if (answer.ok && fresh && !part.contains(document.activeElement)) part.replaceWith(fresh);
    } catch { /* the next look may do better */ }
    setTimeout(again, 1000);
  };
  setTimeout(again, 1000);

  // Live lists: newest first, held while somebody reads them, resumed with what came meanwhile.
  all("[data-live]").forEach((list) => {
    const most = 30;
    const bar = $("#" + list.dataset.bar);
    const held = [];
    let over = false;
    const paused = () => over || list.contains(document.activeElement);
    const put = (html) => {
      const template = document.createElement("template");
      template.innerHTML = html;
      const items = [...template.content.children];
      items.forEach((item) => item.classList.add("fresh"));
      list.prepend(...items);
      while (list.children.length > most) list.lastElementChild.remove();
      const empty = $("#" + list.id + "-empty");
      if (empty) empty.hidden = true;
      list.hidden = false;
      enable(list);
    };
    const flush = () => {
      if (held.length === 0) return;
      put(held.splice(0).reverse().join(""));
      bar.hidden = true;
    };
    list.addEventListener("mouseenter", () => { over = true; });
    list.addEventListener("mouseleave", () => { over = false; flush(); });
    list.addEventListener("focusout", () => setTimeout(() => { if (!paused()) flush(); }, 0));
    bar.addEventListener("click", flush);
    const source = new EventSource(list.dataset.live);
    const state = $("#" + list.id + "-state");
    source.addEventListener("open", () => { if (state) state.textContent = "live"; });
    source.addEventListener("error", () => { if (state) state.textContent = "reconnecting…"; });
    source.addEventListener("decisions", (event) => {
      if (paused()) {
        held.push(event.data);
        while (held.length > most) held.shift();
        const count = held.reduce((n, html) => n + html.split("<li").length - 1, 0);
        bar.textContent = count + " new";
        bar.hidden = false;
      } else {
        put(event.data);
      }
    });
    const arrived = list.dataset.arrived;
    if (arrived) source.addEventListener("decisions", () => { const sign = $("#" + arrived); if (sign) sign.hidden = false; });
  });
})();
