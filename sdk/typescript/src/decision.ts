import { UnavailableError, type SafeconductError } from './errors.js';
import { canonicalize, digest, isObject, type Json, type JsonObject } from './json.js';
import { base64, Keys, type JsonWebKeySet } from './keys.js';

/** Why a decision is as it is; the first reason is the deciding one. */
export interface Reason {
  readonly code: string;
  readonly message: string;
  readonly rule?: string;
  readonly severity?: string;
}

/** An action that waits for a person. */
export interface Approval {
  readonly approvalId: string;
  readonly expiresAt: Date | null;
  /** Where the approval is described, for a person who may answer it. */
  readonly url: string;
}

/** What the service decided about one action. */
export interface Decision {
  /** Whether the agent may do this, now. */
  readonly allow: boolean;
  readonly reasons: readonly Reason[];
  /** Null when the service did not decide (`client.unavailable`). */
  readonly decisionId: string | null;
  /** Until when an allow may be used; null when the service did not decide. */
  readonly expiresAt: Date | null;
  /** The seconds that an allow may be used; 0 means for this action only. */
  readonly expiresIn: number;
  readonly agentId: string;
  readonly policy: string;
  /** A dry run: nothing was allowed. */
  readonly dryRun: boolean;
  /** Whether the signature was checked with the service's keys. */
  readonly verified: boolean;
  /** Whether this is an earlier answer to the same question. */
  readonly cached: boolean;
  readonly approval?: Approval;
  readonly reservationId?: string;
  /** The proof that the decision is in the log, if it was asked for (C2SP tlog-proof). */
  readonly proof?: string;
  readonly requestId?: string;
  /** Why there is no decision (`client.unavailable`). */
  readonly error?: SafeconductError;
  /** The signed decision as the service sent it; null when the service did not decide. */
  readonly raw: JsonObject | null;
}

/** The reason of every deny that the client itself makes. */
export const UNAVAILABLE = 'client.unavailable';

/** A question as it is sent. */
export interface Question {
  readonly agentId: string;
  readonly policy: string;
  readonly context: JsonObject;
  readonly dryRun: boolean;
  readonly reserve: boolean;
}

const MAX_LIFE_SECONDS = 30;

/** Members of a context that the service may move up; then the digest is that of the result. */
export const CONTAINERS = ['context', 'params', 'tool_params', 'input'];

/** Returns the deny of an action that the service did not decide. */
export function unavailable(question: Question, error: SafeconductError): Decision {
  return freeze({
    allow: false,
    reasons: [{ code: UNAVAILABLE, message: error.message, severity: 'error' }],
    decisionId: null,
    expiresAt: null,
    expiresIn: 0,
    agentId: question.agentId,
    policy: question.policy,
    dryRun: false,
    verified: false,
    cached: false,
    error,
    raw: null,
  });
}

function faulty(what: string): UnavailableError {
  return new UnavailableError(`The answer of the service cannot be used: ${what}.`);
}

/** Returns the signed object of an answer, which has it under `decision` or is it. */
export function signedObject(answer: unknown): JsonObject | undefined {
  if (!isObject(answer)) return undefined;
  if (!('decision' in answer)) return answer;
  const inner = answer['decision'];
  if (!isObject(inner)) return undefined;
  // Readers see the members beside the decision first, so these must say the same.
  const same = Object.entries(inner).every(
    ([name, value]) => !Object.hasOwn(answer, name) || canonicalize(answer[name]) === canonicalize(value),
  );
  const agrees = !('verified' in answer) || answer['verified'] === inner['allow'];
  return same && agrees ? inner : undefined;
}

/**
 * Reads an answer to a question. Throws an UnavailableError unless it has the form of a decision,
 * is about this question and, with `keys`, is signed.
 */
export function readAnswer(answer: unknown, question: Question, keys: Keys | undefined): Decision {
  const signed = signedObject(answer);
  if (signed === undefined) throw faulty('it is not a decision, or its two forms differ');
  const { allow, reasons, decision_id, expires_in, expires_at, agent_id, policy_id } = signed;
  if (
    typeof allow !== 'boolean' ||
    typeof decision_id !== 'string' ||
    decision_id === '' ||
    typeof agent_id !== 'string' ||
    typeof policy_id !== 'string' ||
    !Number.isSafeInteger(expires_in) ||
    (expires_in as number) < 0 ||
    (expires_in as number) > MAX_LIFE_SECONDS ||
    typeof expires_at !== 'string' ||
    Number.isNaN(Date.parse(expires_at)) ||
    !Array.isArray(reasons) ||
    reasons.length === 0 ||
    !reasons.every(isReason)
  ) {
    throw faulty('it does not have the members of a decision');
  }
  const dryRun = signed['dry_run'] === true;
  if (keys && !signatureHolds(signed, keys)) throw faulty('its signature is not valid');
  if (policy_id !== question.policy) throw faulty(`it is about the policy ${policy_id}`);
  const asked = bareId(question.agentId);
  if (![agent_id, signed['passport_id']].some((id) => typeof id === 'string' && bareId(id) === asked)) {
    throw faulty(`it is about the agent ${agent_id}`);
  }
  if (allow && dryRun !== question.dryRun) throw faulty('it is a dry run that was not asked for');
  if (
    signed['context_digest'] !== digest(question.context) &&
    !CONTAINERS.some((name) => isContainer(question.context[name])) &&
    (keys || 'context_digest' in signed)
  ) {
    throw faulty('it is about another context');
  }
  const beside = answer as JsonObject;
  const reservationId = beside['reservation_id'];
  if (allow && question.reserve && typeof reservationId !== 'string') {
    throw faulty('it has no reservation_id');
  }
  return freeze({
    allow,
    reasons: reasons as unknown as Reason[],
    decisionId: decision_id,
    expiresAt: new Date(expires_at),
    expiresIn: expires_in as number,
    agentId: agent_id,
    policy: policy_id,
    dryRun,
    verified: keys !== undefined,
    cached: false,
    ...approvalOf(beside['approval']),
    ...(typeof reservationId === 'string' ? { reservationId } : {}),
    ...(typeof beside['proof'] === 'string' ? { proof: beside['proof'] } : {}),
    ...(typeof beside['request_id'] === 'string' ? { requestId: beside['request_id'] } : {}),
    raw: signed,
  });
}

/** What the usual spellings of a UUID have in common; any other id in lower case. */
function bareId(id: string): string {
  const lower = id.trim().toLowerCase();
  const hex = lower.replace(/^ap_/, '').replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(hex) ? hex : lower;
}

/** The service lifts out of objects, and of texts that hold one. */
function isContainer(value: Json | undefined): boolean {
  return isObject(value) || typeof value === 'string';
}

function isReason(value: Json): boolean {
  return (
    isObject(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
  );
}

function approvalOf(value: Json | undefined): { approval?: Approval } {
  if (!isObject(value) || typeof value['approval_id'] !== 'string') return {};
  const at = Date.parse(String(value['expires_at']));
  const approval = {
    approvalId: value['approval_id'],
    expiresAt: Number.isNaN(at) ? null : new Date(at),
    url: typeof value['approval_url'] === 'string' ? value['approval_url'] : '',
  };
  return { approval };
}

/** Whether a key for decisions signed this object. */
function signatureHolds(signed: JsonObject, keys: Keys): boolean {
  const { signature, log_index: _, ...rest } = signed;
  if (typeof signature !== 'string' || !signature.startsWith('ed25519:')) return false;
  const bytes = base64(signature.slice('ed25519:'.length), 'base64');
  if (bytes === undefined) return false;
  try {
    return keys.verify('decision', rest['kid'], canonicalize(rest), bytes);
  } catch {
    return false; // It has no canonical form, so nobody signed it.
  }
}

/**
 * Whether a decision is signed by the service: an answer of a verify operation in either form, or
 * a {@link Decision} of this package, which must say what its signed form says.
 */
export function verifyDecision(decision: unknown, jwks: JsonWebKeySet | Keys): boolean {
  try {
    const keys = jwks instanceof Keys ? jwks : new Keys(jwks);
    const answer = isOwn(decision) ? ownRaw(decision) : decision;
    const signed = signedObject(answer);
    return signed !== undefined && signatureHolds(signed, keys);
  } catch {
    return false;
  }
}

function isOwn(value: unknown): value is Decision {
  return typeof value === 'object' && value !== null && 'raw' in value && 'decisionId' in value;
}

function ownRaw(decision: Decision): JsonObject | undefined {
  const raw = decision.raw;
  if (!isObject(raw)) return undefined;
  const same =
    decision.allow === raw['allow'] &&
    decision.decisionId === raw['decision_id'] &&
    decision.agentId === raw['agent_id'] &&
    decision.policy === raw['policy_id'] &&
    decision.expiresIn === raw['expires_in'] &&
    decision.dryRun === (raw['dry_run'] === true) &&
    new Date(decision.expiresAt ?? NaN).getTime() === Date.parse(String(raw['expires_at'])) &&
    canonicalize(decision.reasons) === canonicalize(raw['reasons']);
  return same ? raw : undefined;
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null && !(member instanceof Error)) freeze(member);
  }
  return Object.freeze(value);
}
