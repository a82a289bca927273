import { request as httpRequest, type ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** A change that ends allows: see docs/decision-tokens.md. */
export interface Revocation {
  readonly event: string;
  readonly data: unknown;
}

/** The service sends a comment every half second; without one for this long the stream is lost. */
const SILENCE_MS = 1000;
const CHECK_MS = 250;
const MAX_PAUSE_MS = 5000;
const MAX_EVENT_CHARS = 1 << 20;

/**
 * Follows the stream of revocations and connects again when it ends. It keeps no process alive.
 * `onChange` is called for every event, and with `undefined` when events may have been missed.
 */
export class RevocationStream {
  #request: ClientRequest | undefined;
  #lastHeard = -Infinity;
  #lastId = '';
  #pause = 0;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #waiting: Array<() => void> = [];

  constructor(
    private readonly url: string,
    private readonly headers: Record<string, string>,
    private readonly onChange: (change: Revocation | undefined) => void,
  ) {
    this.#open();
  }

  /** Whether the stream told within the last second that nothing was missed. */
  get live(): boolean {
    return performance.now() - this.#lastHeard <= SILENCE_MS;
  }

  /** Resolves when the stream is live, to false if it is not after that time. */
  async connected(timeoutMs: number): Promise<boolean> {
    if (this.live) return true;
    return new Promise<boolean>((resolve) => {
      const late = setTimeout(() => resolve(false), timeoutMs);
      this.#waiting.push(() => {
        clearTimeout(late);
        resolve(true);
      });
    });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#lost();
  }

  #open(): void {
    const send = this.url.startsWith('https:') ? httpsRequest : httpRequest;
    const headers: Record<string, string> = { ...this.headers, Accept: 'text/event-stream' };
    if (this.#lastId) headers['Last-Event-ID'] = this.#lastId;
    const request = send(this.url, { headers, agent: false });
    this.#request = request;
    request.on('socket', (socket) => socket.unref());
    request.on('error', () => this.#again(request));
    request.on('response', (answer) => {
      const type = answer.headers['content-type'] ?? '';
      if (answer.statusCode !== 200 || !type.startsWith('text/event-stream')) {
        this.#again(request);
        return;
      }
      let rest = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        if (request !== this.#request) return;
        rest += chunk;
        const blocks = rest.split(/\r?\n\r?\n/);
        rest = blocks.pop() ?? '';
        if (rest.length > MAX_EVENT_CHARS) return this.#again(request);
        blocks.forEach((block) => this.#read(block));
        this.#heard();
      });
      answer.on('close', () => this.#again(request));
      answer.on('error', () => this.#again(request));
    });
    request.end();
    this.#watch(request, performance.now());
  }

  #heard(): void {
    this.#lastHeard = performance.now();
    this.#pause = 0;
    this.#waiting.splice(0).forEach((resolve) => resolve());
  }

  #watch(request: ClientRequest, since: number): void {
    this.#timer = setTimeout(() => {
      const now = performance.now();
      const limit = this.#lastHeard > since ? SILENCE_MS : MAX_PAUSE_MS;
      if (now - Math.max(this.#lastHeard, since) > limit) this.#again(request);
      else this.#watch(request, since);
    }, CHECK_MS).unref();
  }

  #read(block: string): void {
    let event = 'message';
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
      const [, name, value = ''] = /^([^:]*):? ?([^]*)$/.exec(line) ?? [];
      if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
      else if (name === 'id') this.#lastId = value;
    }
    if (data.length === 0) return;
    try {
      this.onChange({ event, data: JSON.parse(data.join('\n')) });
    } catch {
      this.onChange(undefined);
    }
  }

  /** Drops the connection; from here on nothing is known until the next one. */
  #lost(): void {
    const request = this.#request;
    this.#request = undefined;
    this.#lastHeard = -Infinity;
    request?.destroy();
    this.onChange(undefined);
  }

  #again(request: ClientRequest): void {
    if (this.#closed || request !== this.#request) return;
    clearTimeout(this.#timer);
    this.#lost();
    this.#pause = Math.min(MAX_PAUSE_MS, this.#pause * 2 || CHECK_MS);
    this.#timer = setTimeout(() => this.#open(), this.#pause).unref();
  }
}
