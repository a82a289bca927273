import type { Action } from '../action.js';
import type { Safeconduct } from '../client.js';
import type { Decision } from '../decision.js';
import { digest } from '../json.js';
import type { TokenClaims } from '../token.js';

/** Options of the middleware for Express and Fastify. */
export interface WebOptions<R> {
  readonly client: Safeconduct;
  readonly policy: string;
  /** What the policy decides about. */
  readonly context: (request: R) => object | Promise<object>;
  /**
   * The agent that calls; default: the header `X-Agent-Passport-Id`. A header is a claim: require a
   * decision token, or authenticate the caller before, where others can reach this address.
   */
  readonly agentId?: ((request: R) => string | undefined) | undefined;
  /** Whether the caller must bring a decision token in `Safeconduct-Token`; default false. */
  readonly requireToken?: boolean | undefined;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}

/** Who calls, and why it may. */
export interface VerifiedAgent {
  readonly agentId: string;
  readonly decision?: Decision;
  readonly token?: TokenClaims;
}

export interface Refusal {
  readonly status: 401 | 403 | 503;
  readonly body: Record<string, unknown>;
}

interface Incoming {
  readonly headers: Record<string, string | string[] | undefined>;
}

/** Decides about a request of an agent; never throws. */
export async function verifyCaller<R extends Incoming>(
  request: R,
  options: WebOptions<R>,
): Promise<VerifiedAgent | Refusal> {
  try {
    const { client, policy } = options;
    const header = (name: string) => {
      const value = request.headers[name];
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    const agentId = options.agentId ? options.agentId(request) : header('x-agent-passport-id');
    const jwt = header('safeconduct-token');
    if (jwt === undefined && options.requireToken) {
      return refusal(401, 'client.token_missing', 'Send a decision token in Safeconduct-Token.');
    }
    if (jwt === undefined && !agentId) {
      return refusal(401, 'client.agent_missing', 'Send the agent id in X-Agent-Passport-Id.');
    }
    const context = await options.context(request);
    if (jwt !== undefined) {
      const { issuer, audience } = options;
      const contextDigest = digest(context);
      const token = await client.verifyToken(jwt, {
        contextDigest, policy, issuer, audience, agentId: agentId || undefined,
      });
      return token
        ? { agentId: token.sub, token }
        : refusal(403, 'client.token_not_valid', 'The decision token does not allow this request.');
    }
    const action: Action = { agentId, policy, context };
    const decision = await client.check(action);
    if (decision.allow && !decision.dryRun) return { agentId: decision.agentId, decision };
    // Why the service did not answer, and where it is, is not for the caller: see onUnavailable.
    if (decision.decisionId === null) return undecided();
    const [first] = decision.reasons;
    return refusal(403, first?.code ?? 'client.unavailable', first?.message ?? 'Denied.', {
      decision_id: decision.decisionId,
      ...(decision.approval ? { approval: decision.approval.url } : {}),
    });
  } catch {
    return undecided();
  }
}

function undecided(): Refusal {
  return refusal(503, 'client.unavailable', 'The request could not be decided. Check the agent id, or try again later.');
}

function refusal(status: Refusal['status'], code: string, detail: string, more = {}): Refusal {
  return { status, body: { title: 'Denied', status, code, detail, ...more } };
}
