import type { Action } from './action.js';
import { fields, standardFields } from './contexts.js';
import { CONTAINERS, type Question } from './decision.js';
import { segment, type Trace } from './http.js';
import { isObject, toJson, type JsonObject } from './json.js';

/** A question with what its request consists of. */
export interface Prepared extends Question {
  readonly path: string;
  readonly query: string;
  readonly body: JsonObject;
  readonly passed: Trace & { readonly signal?: AbortSignal | undefined };
  readonly action: Action;
}

/** Reads an action; throws a TypeError that names what is not valid. */
export function prepare<P extends string>(
  action: Action<P>,
  defaultAgent: string | undefined,
  minimalContext: boolean,
): Prepared {
  const agentId = action.agentId ?? defaultAgent;
  if (typeof agentId !== 'string' || agentId === '') {
    throw new TypeError('agentId is missing: pass it or set SAFECONDUCT_AGENT_ID');
  }
  const policy: string = action.policy;
  const path = segment(policy, 'policy');
  const full = toJson(action.context);
  if (!isObject(full)) throw new TypeError('context is not an object');
  const context = minimalContext ? minimal(policy, full) : full;
  const body: JsonObject = { agent_id: agentId, context };
  if (action.approvalId !== undefined) body['approval_id'] = action.approvalId;
  const [dryRun, reserve] = [action.dryRun === true, action.reserve === true];
  const flags = { dry_run: dryRun, reserve, proof: action.proof === true };
  const set = Object.entries(flags).filter(([, on]) => on).map(([name]) => `${name}=true`);
  const query = set.length > 0 ? `?${set.join('&')}` : '';
  const passed = passedOn(action);
  return { agentId, policy, context, dryRun, reserve, path, query, body, passed, action: action as Action };
}

function passedOn(action: Pick<Action, 'requestId' | 'traceparent' | 'idempotencyKey' | 'signal'>) {
  for (const name of ['requestId', 'traceparent', 'idempotencyKey'] as const) {
    const value = action[name];
    if (value !== undefined && !/^[\x21-\x7e]{1,256}$/.test(value)) {
      throw new TypeError(`${name} is not valid in a header`);
    }
  }
  return { requestId: action.requestId, traceparent: action.traceparent, signal: action.signal };
}

/** Returns the members that a built-in pack declares, also those in containers that it moves up. */
function minimal(policy: string, context: JsonObject): JsonObject {
  const declared = fields[policy];
  if (declared === undefined) return context;
  const keep = (name: string) => declared.includes(name) || standardFields.includes(name);
  return Object.fromEntries(
    Object.entries(context).flatMap(([name, value]) => {
      if (keep(name)) return [[name, value]];
      return CONTAINERS.includes(name) && isObject(value) ? [[name, minimal(policy, value)]] : [];
    }),
  );
}

