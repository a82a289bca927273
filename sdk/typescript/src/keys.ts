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
      if (bytes?.length !== 32 || !isAcceptable(bytes)) continue;
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

const PRIME = 2n ** 255n - 19n;

/** The y of keys that accept signatures which nobody made. */
const SMALL_ORDER = new Set([
  0n,
  1n,
  PRIME - 1n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/** Node also takes a non-canonical encoding of a point, and points of small order. */
function isAcceptable(key: Buffer): boolean {
  const y = BigInt.asUintN(255, BigInt(`0x${Buffer.from(key).reverse().toString('hex')}`));
  return y < PRIME && !SMALL_ORDER.has(y);
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
