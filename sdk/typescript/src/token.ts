import { isObject, type JsonObject } from './json.js';
import { base64, Keys, type JsonWebKeySet } from './keys.js';

/** What a decision token must be about. */
export interface TokenExpectations {
  /** The digest of the context of this action; see `digest`. */
  readonly contextDigest: string;
  readonly agentId?: string | undefined;
  readonly policy?: string | undefined;
  /** The service's public address. */
  readonly issuer?: string | undefined;
  /** Your organization's id. */
  readonly audience?: string | undefined;
  /** The time in Unix seconds, instead of the clock. */
  readonly now?: number | undefined;
}

/** The claims of a decision token that was accepted. */
export interface TokenClaims extends JsonObject {
  iss: string;
  aud: string;
  sub: string;
  iat: number;
  exp: number;
  allow: true;
  decision_id: string;
  policy_id: string;
  context_digest: string;
}

const MAX_LIFE_SECONDS = 30;
const CLOCK_SKEW_SECONDS = 5;

/**
 * Checks a decision token offline and returns its claims, or null if it does not allow this action.
 */
export function verifyToken(
  token: string,
  jwks: JsonWebKeySet | Keys,
  expected: TokenExpectations,
): TokenClaims | null {
  if (typeof expected?.contextDigest !== 'string') {
    throw new TypeError('contextDigest is missing: a token is good for one context only');
  }
  const keys = jwks instanceof Keys ? jwks : new Keys(jwks);
  const parts = String(token).split('.');
  const [head, claims, signature] = parts.map((part) => base64(part, 'base64url'));
  if (parts.length !== 3 || !head || !claims || !signature) return null;
  const header = parse(head);
  if (header?.['typ'] !== 'decision+jwt' || header['alg'] !== 'EdDSA' || 'crit' in header) {
    return null;
  }
  const input = `${parts[0]}.${parts[1]}`;
  if (!keys.verify('decision_token', header['kid'], input, signature)) return null;
  const said = parse(claims) ?? {};
  const { iat, exp } = said;
  const now = expected.now ?? Date.now() / 1000;
  const fits =
    typeof iat === 'number' &&
    typeof exp === 'number' &&
    exp - iat <= MAX_LIFE_SECONDS &&
    now < exp &&
    iat <= now + CLOCK_SKEW_SECONDS &&
    said['allow'] === true &&
    said['context_digest'] === expected.contextDigest &&
    (expected.agentId === undefined || said['sub'] === expected.agentId) &&
    (expected.policy === undefined || said['policy_id'] === expected.policy) &&
    (expected.issuer === undefined || said['iss'] === expected.issuer) &&
    (expected.audience === undefined || said['aud'] === expected.audience);
  return fits ? (said as unknown as TokenClaims) : null;
}

function parse(bytes: Buffer): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
