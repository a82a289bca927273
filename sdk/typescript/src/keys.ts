import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { isObject } from './json.js';

/** A JSON Web Key Set (RFC 7517), as `GET /jwks.json` returns it. */
export interface JsonWebKeySet {
  keys: ReadonlyArray<Record<string, unknown>>;
}

/** What a key signs. The service has one key for each purpose, and names it in the key's id. */
export type Purpose = 'decision' | 'decision_token' | 'checkpoint';

/** The public keys of a service, by id. */
export class Keys {
  readonly #keys = new Map<string, { key: KeyObject; bytes: Buffer }>();

  /** Reads a key set and ignores keys of other kinds; throws a TypeError if it is no valid set. */
  constructor(jwks: unknown) {
    if (!isObject(jwks) || !Array.isArray(jwks['keys'])) {
      throw new TypeError('the key set has no list of keys');
    }
    for (const jwk of jwks['keys']) {
      if (!isObject(jwk) || jwk['kty'] !== 'OKP' || jwk['crv'] !== 'Ed25519') continue;
      const { kid, x } = jwk;
      if (typeof kid !== 'string' || typeof x !== 'string') continue;
      const bytes = base64(x, 'base64url');
      if (bytes?.length !== 32 || isOfSmallOrder(bytes)) continue;
      if (this.#keys.has(kid)) throw new TypeError(`two keys have the id ${kid}`);
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      this.#keys.set(kid, { key, bytes });
    }
  }

  has(kid: unknown): boolean {
    return typeof kid === 'string' && this.#keys.has(kid);
  }

  /** Whether the key of that id, which must be for that purpose, signed the message. */
  verify(purpose: Purpose, kid: unknown, message: string | Buffer, signature: Buffer): boolean {
    if (typeof kid !== 'string' || !isFor(purpose, kid)) return false;
    const found = this.#keys.get(kid);
    return found !== undefined && check(found.key, message, signature);
  }

  /** The raw public keys for a purpose. */
  all(purpose: Purpose): Array<{ bytes: Buffer; verify(message: Buffer, signature: Buffer): boolean }> {
    return [...this.#keys]
      .filter(([kid]) => isFor(purpose, kid))
      .map(([, { key, bytes }]) => ({ bytes, verify: (m, s) => check(key, m, s) }));
  }
}

/** The y of keys that accept signatures which nobody made, also in their second spelling. */
const SMALL_ORDER = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

function isOfSmallOrder(key: Buffer): boolean {
  const y = Buffer.from(key);
  y.writeUInt8(y.readUInt8(31) & 0x7f, 31);
  return SMALL_ORDER.has(y.toString('hex'));
}

function isFor(purpose: Purpose, kid: string): boolean {
  return kid.startsWith(`oap:registry:${purpose}-`);
}

function check(key: KeyObject, message: string | Buffer, signature: Buffer): boolean {
  return signature.length === 64 && verify(null, Buffer.from(message), key, signature);
}

/** Decodes base64 in its one canonical spelling; undefined for any other text. */
export function base64(text: string, form: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, form);
  return bytes.toString(form) === text ? bytes : undefined;
}
