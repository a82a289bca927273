// RFC 8785 in the shortest form, for the programs in this folder. The clients have their own.
import { writeFileSync } from 'node:fs';

export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined).sort();
  return `{${names.map((n) => `${JSON.stringify(n)}:${canonical(value[n])}`).join(',')}}`;
}

/** Writes a file of this folder with one case, question or answer on a line. */
export function save(file, value) {
  const member = (name, text) => `${JSON.stringify(name)}: ${text}`;
  const inner = (each) =>
    Array.isArray(each) ? each.map((one) => JSON.stringify(one))
      : Object.entries(each).map(([name, one]) => member(name, JSON.stringify(one)));
  const lines = Object.entries(value).map(([name, each]) => {
    if (!['cases', 'questions', 'answers'].includes(name)) return member(name, JSON.stringify(each));
    const [open, close] = Array.isArray(each) ? '[]' : '{}';
    return member(name, `${open}\n${inner(each).join(',\n')}\n${close}`);
  });
  writeFileSync(new URL(file, import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
}
