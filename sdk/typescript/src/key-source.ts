import { ApiError, SafeconductError, UnavailableError } from './errors.js';
import { Keys, type JsonWebKeySet } from './keys.js';

const PAUSE_MS = 5000;

/** The keys to check with: those that the caller gave, or those that the service publishes. */
export class KeySource {
  #known: Keys | undefined;
  #reading: Promise<Keys | undefined> | undefined;
  #renewedAt = -Infinity;
  readonly #given: boolean;

  constructor(
    private readonly read: () => Promise<JsonWebKeySet>,
    given: JsonWebKeySet | undefined,
    private readonly requireSignature: boolean | undefined,
  ) {
    this.#given = given !== undefined;
    if (given) this.#known = new Keys(given);
  }

  /** Returns the keys, or undefined when a decision need not be signed. */
  async forDecisions(): Promise<Keys | undefined> {
    if (this.requireSignature === false) return undefined;
    return this.requireSignature ? this.required() : this.#published();
  }

  /** Returns the keys; throws an UnavailableError when the service publishes none. */
  async required(): Promise<Keys> {
    const keys = await this.#published();
    if (keys) return keys;
    throw new UnavailableError('The service publishes no key set, so nothing can be verified.');
  }

  /** Reads the key set again, because a key is not known; at most every five seconds. */
  async renewed(): Promise<Keys> {
    const now = performance.now();
    if (!this.#given && now - this.#renewedAt >= PAUSE_MS) {
      this.#renewedAt = now;
      await this.#fetch();
    }
    return this.required();
  }

  /** Reads the key set again, because the service said that it changed. */
  expire(): void {
    if (!this.#given) this.#fetch().catch(() => {});
  }

  /** Once a key set is known, decisions must be signed. */
  async #published(): Promise<Keys | undefined> {
    return this.#known ?? this.#fetch();
  }

  #fetch(): Promise<Keys | undefined> {
    this.#reading ??= this.#request().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #request(): Promise<Keys | undefined> {
    try {
      this.#known = new Keys(await this.read());
      return this.#known;
    } catch (error) {
      // A 404 without this code is not the service's.
      if (error instanceof ApiError && error.status === 404 && error.code === 'not_found') return undefined;
      throw error instanceof SafeconductError
        ? new UnavailableError(`The key set cannot be read: ${error.message}`, { cause: error })
        : new UnavailableError('What the service publishes is not a key set.', { cause: error });
    }
  }
}
