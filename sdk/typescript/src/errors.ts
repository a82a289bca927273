import type { Decision } from './decision.js';
import { isObject, type JsonObject } from './json.js';

/** The common type of the errors of this package. */
export class SafeconductError extends Error {
  override readonly name: string = 'SafeconductError';
}

/** The service gave no answer that can be used: a time-out, a lost connection, a faulty answer. */
export class UnavailableError extends SafeconductError {
  override readonly name = 'UnavailableError';
}

/** The service refused a request. Nothing was decided or changed. */
export class ApiError extends SafeconductError {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The service's code, for example `not_found`; undefined when the answer was not the service's. */
  readonly code: string | undefined;
  /** The member of the request that is not valid. */
  readonly field: string | undefined;
  readonly details: JsonObject;
  readonly requestId: string | undefined;
  /** Seconds after which a new attempt makes sense. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: unknown, headers: Headers) {
    const json = isObject(body) ? body : {};
    const text = (name: string) =>
      typeof json[name] === 'string' ? (json[name] as string) : undefined;
    const code = text('code');
    const message = text('message') ?? text('detail') ?? text('title') ?? `The service answered ${status} without a message.`;
    super(message);
    this.status = status;
    this.code = code;
    this.field = text('field');
    this.details = isObject(json['details']) ? json['details'] : {};
    this.requestId = text('request_id') ?? headers.get('x-request-id') ?? undefined;
    this.retryAfter = retryAfter(headers);
  }
}

/** Thrown by `guard` when the action must not run; the function was not called. */
export class ActionDenied extends SafeconductError {
  override readonly name = 'ActionDenied';
  readonly decision: Decision;

  constructor(decision: Decision) {
    const first = decision.reasons[0];
    const more = [
      first?.code,
      decision.decisionId && `decision ${decision.decisionId}`,
      decision.approval && `waits for approval: ${decision.approval.url}`,
    ].filter(Boolean);
    super(`${first?.message ?? 'The action is denied.'} (${more.join(', ')})`, {
      cause: decision.error,
    });
    this.decision = decision;
  }

  /** The code of the first reason, for example `oap.command_not_allowed`. */
  get code(): string {
    return this.decision.reasons[0]?.code ?? 'client.unavailable';
  }

  get reasons(): Decision['reasons'] {
    return this.decision.reasons;
  }

  get decisionId(): string | null {
    return this.decision.decisionId;
  }

  get approval(): Decision['approval'] {
    return this.decision.approval;
  }
}

/** Reads `Retry-After` as seconds; undefined without a valid one. */
export function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = /GMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}
