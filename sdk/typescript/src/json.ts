import { createHash } from 'node:crypto';

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A JSON object. */
export type JsonObject = { [name: string]: Json };

const MAX_DEPTH = 64;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Copies a value that the caller built into plain JSON. Members without a value are left out, as
 * JSON.stringify does. What JSON cannot hold is refused: a question must say what the caller meant.
 */
export function toJson(value: unknown, where = 'context', depth = 0): Json {
  if (depth > MAX_DEPTH) throw new TypeError(`${where} is nested too deeply or contains itself`);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError(`${where} contains half of a surrogate pair`);
    return value;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${where} is not a finite number`);
    return value;
  }
  if (Array.isArray(value)) {
    return Array.from(value, (item, i) => toJson(item, `${where}[${i}]`, depth + 1));
  }
  if (typeof value === 'object') {
    const own = value as { toJSON?: unknown };
    if (typeof own.toJSON === 'function') return toJson(own.toJSON(), where, depth + 1);
    if (value instanceof Map || value instanceof Set) {
      throw new TypeError(`${where} is a ${value.constructor.name}; use an object or an array`);
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [
          toJson(name, where) as string,
          toJson(member, `${where}.${name}`, depth + 1),
        ]),
    );
  }
  throw new TypeError(`${where} is ${typeof value}, which JSON cannot hold`);
}

/** Returns the RFC 8785 form of a JSON value; throws a TypeError for a value without one. */
export function canonicalize(value: unknown): string {
  return write(toJson(value, 'value'));
}

function write(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  // The default order of sort() is that of UTF-16 code units, as RFC 8785 section 3.2.3 asks.
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${write(value[name] as Json)}`);
  return `{${members.join(',')}}`;
}

/** Returns `sha256:` and the hex digits of SHA-256 over the RFC 8785 form, as decisions do. */
export function digest(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalize(value)).digest('hex')}`;
}
