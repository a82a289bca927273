import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, UnavailableError } from './errors.js';

/** Headers that a caller passes on. */
export interface Trace {
  /** Appears in the service's log; by default the service makes one. */
  readonly requestId?: string | undefined;
  /** W3C Trace Context. */
  readonly traceparent?: string | undefined;
}

export interface Sent extends Trace {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** The path, with its segments encoded. */
  readonly path: string;
  readonly body?: unknown;
  /** With a key an attempt may be repeated. */
  readonly idempotencyKey?: string | undefined;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
}

const ATTEMPTS = 3;
const CONNECT_PAUSE_MS = 60;
const DEFAULT_MAX_BYTES = 4 << 20;

/** Errors from before the request was sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Encodes one segment of a path; a text that would change the path is refused. */
export function segment(text: unknown, name: string): string {
  if (typeof text !== 'string' || text === '' || /^\.\.?$/.test(text) || !text.isWellFormed()) {
    throw new TypeError(`${name} is missing or not valid`);
  }
  return encodeURIComponent(text);
}

/** Sends requests to one service. Each has one deadline, which all its attempts share. */
export class Http {
  readonly base: string;
  readonly #headers: Record<string, string>;

  constructor(
    baseUrl: string,
    headers: Record<string, string>,
    private readonly timeoutMs: number,
    private readonly fetcher: typeof fetch,
  ) {
    const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
      throw new TypeError('baseUrl is not the address of a service: http(s)://host[:port][/path]');
    }
    this.base = url.href.replace(/\/+$/, '');
    this.#headers = headers;
  }

  /** The headers of every request, for the stream of revocations. */
  get headers(): Record<string, string> {
    return { ...this.#headers };
  }

  /** Returns the JSON answer with a status below 300. Throws an ApiError or UnavailableError. */
  async send(sent: Sent): Promise<Received> {
    const deadline = performance.now() + this.timeoutMs;
    const stop = AbortSignal.timeout(this.timeoutMs);
    const signal = sent.signal ? AbortSignal.any([stop, sent.signal]) : stop;
    for (let attempt = 1; ; attempt++) {
      let pause: number | undefined;
      let failure: unknown;
      try {
        return await this.#once(sent, signal);
      } catch (error) {
        failure = error;
        if (error instanceof ApiError) {
          pause = error.status === 503 && sent.idempotencyKey ? error.retryAfter : undefined;
          if (pause !== undefined) pause *= 1000;
        } else if (NOT_CONNECTED.has(codeOf(error))) {
          pause = CONNECT_PAUSE_MS * attempt;
        }
      }
      if (pause === undefined || attempt === ATTEMPTS || performance.now() + pause >= deadline) {
        throw this.#explain(failure, stop, sent.signal);
      }
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  async #once(sent: Sent, signal: AbortSignal): Promise<Received> {
    const headers: Record<string, string> = { ...this.#headers, Accept: 'application/json' };
    if (sent.body !== undefined) headers['Content-Type'] = 'application/json';
    if (sent.idempotencyKey) headers['Idempotency-Key'] = sent.idempotencyKey;
    if (sent.requestId) headers['X-Request-Id'] = sent.requestId;
    if (sent.traceparent) headers['traceparent'] = sent.traceparent;
    const answer = await this.fetcher(this.base + sent.path, {
      method: sent.method,
      headers,
      redirect: 'manual', // A redirect would carry the key and the question somewhere else.
      signal,
      ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    });
    const json = parse(await read(answer, sent.maxBytes ?? DEFAULT_MAX_BYTES));
    if (!answer.ok) throw new ApiError(answer.status, json, answer.headers);
    if (json === undefined) throw new UnavailableError('The answer of the service is not JSON.');
    return { status: answer.status, headers: answer.headers, json };
  }

  #explain(error: unknown, stop: AbortSignal, own: AbortSignal | undefined): Error {
    if (error instanceof ApiError || error instanceof UnavailableError) return error;
    const where = new URL(this.base).origin;
    const what = own?.aborted
      ? `The request to ${where} was aborted.`
      : stop.aborted
        ? `The service at ${where} did not answer within ${this.timeoutMs} ms.`
        : `The connection to ${where} failed (${codeOf(error) || 'unknown cause'}).`;
    return new UnavailableError(what, { cause: error });
  }
}

function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, errors } = at as Error & { code?: unknown; errors?: unknown[] };
    if (typeof code === 'string') return code;
    if (Array.isArray(errors) && errors.length > 0) return codeOf(errors[0]);
  }
  return '';
}

/** Reads the whole body; an answer that is cut or too long is an error. */
async function read(answer: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw new UnavailableError('The answer of the service is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

