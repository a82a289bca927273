import type { ContextOf } from './contexts.js';
import type { Decision } from './decision.js';
import type { Trace } from './http.js';
import type { JsonWebKeySet } from './keys.js';

/** Settings of a client. */
export interface Options {
  /** The address of the service; default `SAFECONDUCT_URL`. */
  readonly baseUrl?: string | undefined;
  /** An API key; default `SAFECONDUCT_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The agent that acts when an action does not name one; default `SAFECONDUCT_AGENT_ID`. */
  readonly agentId?: string | undefined;
  /** The time for one decision, with all attempts; default 2000. */
  readonly timeoutMs?: number | undefined;
  /** The service's key set. Without it the client reads it from the service. */
  readonly keys?: JsonWebKeySet | undefined;
  /**
   * Whether a decision must be signed by one of the service's keys. By default it must, unless the
   * service publishes no key set.
   */
  readonly requireSignature?: boolean | undefined;
  /** Whether an allow answers equal questions as long as the service permits; default false. */
  readonly cache?: boolean | undefined;
  /** Whether only members that a built-in pack declares are sent; default false. */
  readonly minimalContext?: boolean | undefined;
  /** Is told of each deny that the client itself makes. It cannot change it. */
  readonly onUnavailable?: ((decision: Decision) => void) | undefined;
  /** The first pause between two questions about an approval; default 2000. */
  readonly approvalPollMs?: number | undefined;
  /** Replaces the global `fetch`, for example to use a proxy. */
  readonly fetch?: typeof fetch | undefined;
}

/** What an agent wants to do. */
export interface Action<P extends string = string> extends Trace {
  /** Default: that of the client. */
  readonly agentId?: string | undefined;
  /** The policy pack, for example `system.command.execute.v1`. */
  readonly policy: P;
  /** What the policy decides about. */
  readonly context: ContextOf<P>;
  /** Evaluates without counting; such an allow permits nothing. */
  readonly dryRun?: boolean | undefined;
  /** Reserves what the action uses up, so that it can be released; `guard` does both. */
  readonly reserve?: boolean | undefined;
  /** Adds a proof that the decision is in the log. */
  readonly proof?: boolean | undefined;
  /** An approval that a person may have given. */
  readonly approvalId?: string | undefined;
  /** Equal questions with one key get one decision; default a new key for each question. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An action for `guard`. */
export interface GuardedAction<P extends string = string> extends Action<P> {
  /** How long to wait for a person's approval; default 0. */
  readonly waitForApprovalMs?: number | undefined;
}

/** The statuses of a passport. */
export type Status = 'draft' | 'active' | 'suspended' | 'revoked';
