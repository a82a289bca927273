// What the console does beyond forms and links. Every page works without it.
"use strict";
(() => {
  const $ = (query, root = document) => root.querySelector(query);
  const all = (query, root = document) => [...root.querySelectorAll(query)];

  // Copy buttons appear only where they can work.
  const enable = (root) => {
    if (navigator.clipboard) all("[data-copy]", root).forEach((button) => { button.hidden = false; });
    all("time[datetime]", root).forEach(local);
    separate(root.body ?? root);
  };

  // Counts have the separators of the reader's language; what people and agents wrote stays.
  const separator = new Intl.NumberFormat().format(1234567).replace(/\p{Nd}/gu, "").charAt(0);
  const separate = (root) => {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.data.includes("\u202f") && !text.parentElement.closest("bdi, code, pre, textarea, script")) {
        text.data = text.data.replace(/(\d)\u202f(?=\d{3})/g, (_, digit) => digit + separator);
      }
    }
  };

  // Times are shown in the reader's zone; the exact one in UTC is on hover.
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
  const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
  const local = (time) => {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime()) || time.dataset.local) return;
    time.dataset.local = "1";
    const today = day.format(at) === day.format(new Date());
    if (time.classList.contains("clock")) time.textContent = (today ? "" : day.format(at) + " ") + clock.format(at);
    else time.title = day.format(at) + " " + clock.format(at) + " · " + time.dateTime;
  };
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

  // The search on every page: the first result opens on Enter, arrows move between them.
  const search = $("#search");
  const results = () => all("#search-found a");
  if (search) $("#search-text").addEventListener("input", () => { $("#search-found").replaceChildren(); });
  const find = () => { search.showModal(); $("#search-text").select(); };
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k" && search) {
      event.preventDefault();
      find();
    }
  });
  document.addEventListener("click", (event) => {
    if (search && event.target.closest("[data-open=search]")) { event.preventDefault(); find(); }
  });
  if (search) search.addEventListener("keydown", (event) => {
    const links = results();
    const at = links.indexOf(document.activeElement);
    if (event.key === "Enter" && at < 0 && links.length > 0) {
      event.preventDefault();
      links[0].click();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && links.length > 0) {
      event.preventDefault();
      const next = at + (event.key === "ArrowDown" ? 1 : -1);
      if (next < 0) $("#search-text").focus();
      else links[Math.min(next, links.length - 1)].focus();
    }
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

  // Source text has line numbers.
  all("textarea.code:not([data-editor])").forEach((area) => {
    const frame = document.createElement("div");
    const gutter = document.createElement("pre");
    frame.className = "lined";
    gutter.className = "gutter";
    gutter.setAttribute("aria-hidden", "true");
    area.replaceWith(frame);
    frame.append(gutter, area);
    const number = () => { gutter.textContent = area.value.split("\n").map((_, line) => line + 1).join("\n"); };
    area.addEventListener("input", number);
    area.addEventListener("scroll", () => { gutter.scrollTop = area.scrollTop; });
    number();
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
  const streams = new Map();
  const watch = (list) => {
    const most = Number(list.dataset.most ?? 30);
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
    streams.set(list, source);
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
  };
  const live = () => {
    for (const [list, source] of streams) {
      if (!list.isConnected) { source.close(); streams.delete(list); }
    }
    all("[data-live]").filter((list) => !streams.has(list)).forEach(watch);
  };
  // Passkeys: a form asks the browser for its answer before it is sent.
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const passkeys = (list) => (list ?? []).map((each) => ({ ...each, id: bytes(each.id) }));
  // A challenge lasts five minutes; a page may stand open for longer.
  const challenge = async (form) => {
    if (performance.now() < 240_000) return JSON.parse(form.dataset.passkey);
    const page = new DOMParser().parseFromString(await (await fetch(form.dataset.page)).text(), "text/html");
    return JSON.parse(page.getElementById(form.id).dataset.passkey);
  };
  const answered = async (form) => {
    const options = await challenge(form);
    options.challenge = bytes(options.challenge);
    options.allowCredentials = passkeys(options.allowCredentials);
    options.excludeCredentials = passkeys(options.excludeCredentials);
    let found;
    if (form.dataset.makes === "true") {
      options.user.id = bytes(options.user.id);
      found = await navigator.credentials.create({ publicKey: options });
    } else {
      found = await navigator.credentials.get({ publicKey: options });
    }
    const response = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (found.response[name]) response[name] = base64(found.response[name]);
    }
    return JSON.stringify({ id: found.id, rawId: found.id, type: found.type, response, clientExtensionResults: {} });
  };
  if (window.PublicKeyCredential) {
    all("form[data-passkey]").forEach((form) => { form.hidden = false; });
    all("[data-without-passkeys]").forEach((text) => { text.hidden = true; });
  }
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("form[data-passkey]");
    if (!form) return;
    event.preventDefault();
    if (form.dataset.busy) return;
    form.dataset.busy = "1";
    const problem = $("[role=alert]", form);
    problem.hidden = true;
    try {
      form.elements.credential.value = await answered(form);
      form.submit();
    } catch (fault) {
      problem.textContent = fault.name === "InvalidStateError"
        ? "⚠ This device has a passkey for your account already."
        : "⚠ No passkey was used: you cancelled, it took too long, or there is none for this service here.";
      problem.hidden = false;
    } finally {
      delete form.dataset.busy;
    }
  });

  live();
  enable(document);
  document.addEventListener("htmx:load", (event) => { enable(event.target); live(); });
})();
