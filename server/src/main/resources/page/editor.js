// The editor of policies: numbered lines, completions by the pack's schema, faults at their lines.
"use strict";
(() => {
  const form = document.querySelector("[data-completions]");
  if (!form || !window.CodeMirror) return;
  const known = JSON.parse(form.dataset.completions);
  const editors = new Map();

  // Returns what encloses the end of the text: members and elements from the root on, and whether
  // a member's name or a value is being written.
  const place = (text) => {
    const path = [];
    let name = true;
    let start = -1;
    let last = "";
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (start >= 0) {
        if (c === "\\") i++;
        else if (c === "\"") { last = text.slice(start, i); start = -1; }
      } else if (c === "\"") start = i + 1;
      else if (c === "{") { path.push({ key: "" }); name = true; }
      else if (c === "[") { path.push({ list: true }); name = false; }
      else if (c === "}" || c === "]") { path.pop(); name = false; }
      else if (c === ":" && path.length) { path.at(-1).key = last; name = false; }
      else if (c === "," && path.length) name = !path.at(-1).list;
    }
    return { path, name: name && path.length > 0, written: start < 0 ? "" : text.slice(start), quoted: start >= 0 };
  };

  const resolve = (schema) => {
    const ref = schema?.$ref;
    return ref ? known.schemas[ref.slice(ref.lastIndexOf("/") + 1)] : schema;
  };
  const schemaAt = (path) => {
    let schema = known.schemas.PolicyPack;
    for (const step of path) {
      schema = resolve(schema);
      if (!schema) return undefined;
      if (step.list) schema = schema.items;
      else if (step.key) {
        schema = schema.properties?.[step.key]
          ?? (typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined);
      }
    }
    return resolve(schema);
  };
  const members = (schema) => Object.entries(schema?.properties ?? {}).map(([name, member]) => ({
    text: name, about: resolve(member)?.description ?? resolve(member)?.type ?? "" }));
  const values = (path, schema) => {
    const member = path.findLast((step) => step.key)?.key ?? "";
    const texts = schema?.enum ?? (schema?.type === "boolean" ? [true, false] : known.values[member] ?? []);
    return texts.map((value) => ({ text: value, about: "" }));
  };

  const hint = (editor) => {
    const cursor = editor.getCursor();
    const at = place(editor.getRange({ line: 0, ch: 0 }, cursor));
    const written = at.quoted ? at.written : editor.getRange({ line: cursor.line, ch: 0 }, cursor).match(/[\w.]*$/)[0];
    const rest = editor.getLine(cursor.line).slice(cursor.ch);
    const end = at.quoted ? cursor.ch + (rest.match(/^[\w.]*"?/)[0].length) : cursor.ch;
    const from = { line: cursor.line, ch: cursor.ch - written.length - (at.quoted ? 1 : 0) };
    const parent = at.name ? at.path.slice(0, -1) : at.path;
    const found = at.name ? members(schemaAt(parent)) : values(at.path, schemaAt(at.path));
    const colon = at.name && !/^\s*:/.test(editor.getLine(cursor.line).slice(end)) ? ": " : "";
    return {
      from,
      to: { line: cursor.line, ch: end },
      list: found.filter((each) => String(each.text).toLowerCase().includes(written.toLowerCase())).map((each) => ({
        text: JSON.stringify(each.text) + colon,
        render: (element) => {
          element.append(String(each.text));
          if (each.about) {
            const about = document.createElement("span");
            about.className = "quiet";
            about.textContent = " " + each.about;
            element.append(about);
          }
        },
      })),
    };
  };

  const mark = () => {
    for (const editor of editors.values()) {
      editor.clearGutter("faults");
      editor.eachLine((line) => { editor.removeLineClass(line, "background", "faulty"); });
    }
    document.querySelectorAll("#faults [data-line]").forEach((fault) => {
      const editor = editors.get(fault.dataset.field);
      const line = Number(fault.dataset.line) - 1;
      if (!editor || line >= editor.lineCount()) return;
      const sign = document.createElement("span");
      sign.className = "fault-mark";
      sign.textContent = "✕";
      sign.title = fault.parentElement.textContent;
      editor.setGutterMarker(line, "faults", sign);
      editor.addLineClass(line, "background", "faulty");
    });
  };

  // A check leaves the cursor where it is. While one types, a check follows each pause.
  const button = form.querySelector("button[value=check]");
  const PAUSE = 700;
  let pause = 0;
  let latest = 0;
  const check = async (typing) => {
    clearTimeout(pause);
    const mine = ++latest;
    editors.forEach((editor) => { editor.save(); });
    const body = new URLSearchParams(new FormData(form));
    body.set("do", "check");
    try {
      const answer = await fetch(form.action, { method: "POST", body });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("#checked");
      if (!fresh) throw new Error("not a check");
      if (mine !== latest) return;
      document.querySelector("#checked").replaceChildren(...fresh.childNodes);
      mark();
    } catch {
      if (typing !== true) form.requestSubmit(button);
    }
  };

  form.querySelectorAll("[data-editor]").forEach((area) => {
    const label = form.querySelector("label[for=" + area.id + "]");
    const editor = window.CodeMirror.fromTextArea(area, {
      mode: { name: "javascript", json: true },
      theme: "safeconduct",
      lineNumbers: true,
      matchBrackets: true,
      tabSize: 2,
      inputStyle: "contenteditable",
      screenReaderLabel: label.firstChild.textContent.trim(),
      gutters: ["CodeMirror-linenumbers", "faults"],
      extraKeys: {
        Tab: false,
        "Shift-Tab": false,
        "Ctrl-Enter": () => check(),
        "Cmd-Enter": () => check(),
        "Ctrl-Space": () => editor.showHint({ hint, completeSingle: false }),
      },
    });
    area.required = false;
    const input = editor.getInputField();
    input.id = area.id + "-editor";
    input.setAttribute("role", "textbox");
    input.setAttribute("aria-multiline", "true");
    label.htmlFor = area.id + "-editor";
    label.addEventListener("click", () => { editor.focus(); });
    if (area.dataset.editor === "pack") {
      editor.on("inputRead", (_, change) => {
        if (/["\w.]$/.test(change.text.at(-1))) editor.showHint({ hint, completeSingle: false });
      });
    }
    editor.on("change", () => {
      clearTimeout(pause);
      pause = setTimeout(check, PAUSE, true);
    });
    editors.set(area.id, editor);
  });
  document.querySelector("#editor-keys").hidden = false;
  button.addEventListener("click", (event) => { event.preventDefault(); check(); });
  document.addEventListener("click", (event) => {
    const fault = event.target.closest("#faults [data-line]");
    const editor = fault && editors.get(fault.dataset.field);
    if (!editor) return;
    event.preventDefault();
    editor.setCursor(Number(fault.dataset.line) - 1, 0);
    editor.focus();
  });
  mark();
})();
