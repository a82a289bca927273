import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action, GuardedAction, Options, Status } from './action.js';
import {
  readAnswer,
  unavailable,
  UNAVAILABLE,
  type Decision,
  type Question,
} from './decision.js';
import { ActionDenied, ApiError, SafeconductError, UnavailableError } from './errors.js';
import { Http, segment, type Received } from './http.js';
import { canonicalize, isObject, toJson, type JsonObject } from './json.js';
import { KeySource } from './key-source.js';
import type { Keys, JsonWebKeySet } from './keys.js';
import { prepare, type Prepared } from './question.js';
import { RevocationStream, type Revocation } from './revocations.js';
import { verifyToken, type TokenClaims, type TokenExpectations } from './token.js';
import { USER_AGENT } from './version.js';

const MAX_POLL_MS = 15_000;
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 32 << 20;
const MAX_CACHED = 10_000;

/** A client of one service. It denies whenever the service does not clearly allow. */
export class Safeconduct {
  readonly #http: Http;
  readonly #options: Options;
  readonly #agentId: string | undefined;
  readonly #timeoutMs: number;
  readonly #keys: KeySource;
  readonly #cache = new Map<string, { decision: Decision; until: number }>();
  #changes = 0;
  #stream: RevocationStream | undefined;
  readonly #listeners = new Set<(change: Revocation | undefined) => void>();

  constructor(options: Options = {}) {
    const env = process.env;
    const baseUrl = options.baseUrl ?? env['SAFECONDUCT_URL'];
    const apiKey = options.apiKey ?? env['SAFECONDUCT_API_KEY'];
    const timeoutMs = options.timeoutMs ?? 2000;
    if (!baseUrl) throw new TypeError('baseUrl is missing: pass it or set SAFECONDUCT_URL');
    if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey is not an API key');
    if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) throw new TypeError('timeoutMs is not a time');
    const headers: Record<string, string> = { 'User-Agent': USER_AGENT };
    if (apiKey) headers['X-API-Key'] = apiKey;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
    this.#agentId = options.agentId ?? env['SAFECONDUCT_AGENT_ID'];
    this.#http = new Http(baseUrl, headers, timeoutMs, options.fetch ?? fetch);
    this.#keys = new KeySource(() => this.keySet(), options.keys, options.requireSignature);
  }

  /**
   * Asks whether an agent may do this, now. Never throws for a failure of the service: the answer
   * is then a deny with the reason `client.unavailable`. A TypeError names an argument that is not
   * valid.
   */
  async check<P extends string>(action: Action<P>): Promise<Decision> {
    return this.#check(this.#prepare(action));
  }

  /**
   * Runs `fn` only if the service allows the action, and returns its result. Otherwise throws
   * {@link ActionDenied}. With `reserve`, commits when `fn` returned and releases when it threw.
   */
  async guard<P extends string, T>(
    action: GuardedAction<P>,
    fn: (decision: Decision) => T | Promise<T>,
  ): Promise<T> {
    if (typeof fn !== 'function') throw new TypeError('fn is not a function');
    const question = this.#prepare(action);
    let decision = await this.#check(question);
    if (decision.approval && action.waitForApprovalMs) {
      decision = await this.waitForApproval(action, decision, action.waitForApprovalMs);
    }
    // A stored allow, or one that came together with the abort, must not start what was called off.
    if (action.signal?.aborted) {
      decision = this.#failed(question, new UnavailableError('The action was aborted.'));
    }
    if (decision.allow !== true || decision.dryRun) throw new ActionDenied(decision);
    if (decision.reservationId === undefined) return await fn(decision);
    let result: T;
    try {
      result = await fn(decision);
    } catch (error) {
      await this.#settle(question, decision.reservationId, 'release');
      throw error;
    }
    await this.#settle(question, decision.reservationId, 'commit');
    return result;
  }

  /**
   * Asks again until a person has answered or the time is over, and returns the last decision. Its
   * allow is good for this one action.
   */
  async waitForApproval<P extends string>(
    action: Action<P>,
    waiting: Decision,
    timeoutMs: number,
  ): Promise<Decision> {
    const approvalId = waiting.approval?.approvalId;
    if (approvalId === undefined) return waiting;
    const until = performance.now() + timeoutMs;
    let decision = waiting;
    let pause = this.#options.approvalPollMs ?? 2000;
    let idempotencyKey: string = randomUUID();
    for (;;) {
      const left = until - performance.now();
      if (left <= 0 || action.signal?.aborted) return decision;
      await sleep(Math.min(pause, left), undefined, { signal: action.signal }).catch(() => {});
      pause = Math.min(MAX_POLL_MS, pause * 1.3);
      const question = this.#prepare({ ...action, approvalId, idempotencyKey });
      const next = await this.#ask(question);
      const lost = next.reasons[0]?.code === UNAVAILABLE;
      if (next.allow || (!lost && !next.approval)) return next;
      // After a lost answer the same key returns the decision that was made, and used the approval.
      if (!lost) [decision, idempotencyKey] = [next, randomUUID()];
    }
  }

  /** Asks several questions in one request; the decisions are in the order of the actions. */
  async batch(actions: readonly Action[]): Promise<Decision[]> {
    if (actions.length === 0) return [];
    if (actions.length > MAX_BATCH) throw new TypeError(`more than ${MAX_BATCH} actions`);
    const questions = actions.map((action) => this.#prepare(action));
    const first = questions[0] as Prepared;
    if (questions.some((each) => each.query !== first.query)) {
      throw new TypeError('dryRun, reserve and proof must be the same for all actions of a batch');
    }
    const evaluations = questions.map((q) => ({
      policy_id: q.policy,
      ...q.body,
      ...(q.action.idempotencyKey ? { idempotency_key: q.action.idempotencyKey } : {}),
    }));
    const fail = (error: unknown) => questions.map((q) => this.#failed(q, error));
    try {
      const [answer, keys] = await Promise.all([
        this.#http.send({
          ...first.passed,
          method: 'POST',
          path: `/api/verify/batch${first.query}`,
          body: { evaluations },
          maxBytes: MAX_BATCH_BYTES,
        }),
        this.#keys.forDecisions(),
      ]);
      const list = isObject(answer.json) ? answer.json['decisions'] : undefined;
      if (answer.status !== 200 || !Array.isArray(list) || list.length !== questions.length) {
        throw new UnavailableError('The service did not answer each question of the batch.');
      }
      return await Promise.all(
        questions.map(async (question, i) => {
          const each = list[i] as unknown;
          try {
            const error = isObject(each) ? each['error'] : undefined;
            if (isObject(error)) {
              throw new ApiError(Number(error['status_code']), error, new Headers());
            }
            return await this.#read(each, question, keys);
          } catch (error) {
            return this.#failed(question, error);
          }
        }),
      );
    } catch (error) {
      return fail(error);
    }
  }

  /** Asks for an allow as a token that can be checked offline; `token` is null without one. */
  async token<P extends string>(
    action: Action<P>,
  ): Promise<{ token: string | null; decision: Decision }> {
    const question = this.#prepare(action);
    try {
      const [answer, keys] = await Promise.all([
        this.#http.send({
          ...question.passed,
          method: 'POST',
          path: `/api/verify/token/${question.path}${question.query}`,
          body: question.body,
          idempotencyKey: action.idempotencyKey ?? randomUUID(),
        }),
        this.#keys.forDecisions(),
      ]);
      const json = isObject(answer.json) ? answer.json : {};
      const decision = await this.#read(json['decision'], question, keys);
      const token = decision.allow && typeof json['token'] === 'string' ? json['token'] : null;
      return { token, decision };
    } catch (error) {
      return { token: null, decision: this.#failed(question, error) };
    }
  }

  /** Checks a decision token with the service's keys; null if it does not allow this action. */
  async verifyToken(token: string, expected: TokenExpectations): Promise<TokenClaims | null> {
    return (
      verifyToken(token, await this.#keys.required(), expected) ??
      verifyToken(token, await this.#keys.renewed(), expected)
    );
  }

  /** Reads the service's key set. */
  async keySet(): Promise<JsonWebKeySet> {
    return (await this.#http.send({ method: 'GET', path: '/jwks.json' }))
      .json as unknown as JsonWebKeySet;
  }

  /** Commits a reservation: the action was done. */
  commit(reservationId: string): Promise<JsonObject> {
    return this.#call('POST', `/api/usage/${segment(reservationId, 'reservationId')}/commit`);
  }

  /** Releases a reservation: the action was not done. */
  release(reservationId: string): Promise<JsonObject> {
    return this.#call('POST', `/api/usage/${segment(reservationId, 'reservationId')}/release`);
  }

  /** Changes a passport's status. */
  setStatus(agentId: string, status: Status, reason?: string): Promise<JsonObject> {
    const path = `/api/passports/${segment(agentId, 'agentId')}/status`;
    return this.#call('PUT', path, { status, ...(reason === undefined ? {} : { reason }) });
  }

  suspend(agentId: string, reason?: string): Promise<JsonObject> {
    return this.setStatus(agentId, 'suspended', reason);
  }

  activate(agentId: string, reason?: string): Promise<JsonObject> {
    return this.setStatus(agentId, 'active', reason);
  }

  /** Issues a passport for an agent of your organization. */
  issue(passport: object): Promise<JsonObject> {
    return this.#call('POST', '/api/passports', passport);
  }

  /** Reads a passport. */
  passport(agentId: string): Promise<JsonObject> {
    return this.#call('GET', `/api/passports/${segment(agentId, 'agentId')}`);
  }

  /** Changes members of a passport. */
  updatePassport(agentId: string, changes: object): Promise<JsonObject> {
    return this.#call('PATCH', `/api/passports/${segment(agentId, 'agentId')}`, changes);
  }

  /** Lists passports; `query` may hold `status`, `framework`, `capability`, `q`, `limit`, `cursor`. */
  passports(query: Record<string, string> = {}): Promise<JsonObject> {
    return this.#call('GET', `/api/passports?${new URLSearchParams(query)}`);
  }

  /** Shows who an agent is and whether it is active; needs no key. */
  agent(agentId: string): Promise<JsonObject> {
    return this.#call('GET', `/api/verify/${segment(agentId, 'agentId')}`);
  }

  /** Reads the record of a decision, for a receipt. */
  async record(decisionId: string): Promise<{ record: JsonObject; proof: JsonObject }> {
    const path = `/api/audit/${segment(decisionId, 'decisionId')}`;
    const [record, proof] = await Promise.all([
      this.#call('GET', path),
      this.#call('GET', `${path}/proof`),
    ]);
    return { record, proof };
  }

  /**
   * Follows the service's revocations and calls `listener` for each; with `undefined` when some may
   * have been missed. Resolves when the stream is live, to a function that ends the listening.
   */
  async onRevocation(listener: (change: Revocation | undefined) => void): Promise<() => void> {
    this.#listeners.add(listener);
    await this.connect();
    return () => this.#listeners.delete(listener);
  }

  /** Connects the stream of revocations, without which nothing is cached. */
  async connect(): Promise<void> {
    if (!(await this.#follow().connected(this.#timeoutMs))) {
      throw new UnavailableError(`No stream of revocations within ${this.#timeoutMs} ms.`);
    }
  }

  /** Ends the stream of revocations and forgets cached allows. */
  close(): void {
    this.#stream?.close();
    this.#stream = undefined;
    this.#cache.clear();
  }

  #follow(): RevocationStream {
    this.#stream ??= new RevocationStream(
      `${this.#http.base}/api/revocations`,
      this.#http.headers,
      (change) => {
        this.#changes++;
        this.#cache.clear();
        if (isObject(change?.data) && change.data['type'] === 'signing_keys') {
          this.#keys.expire();
        }
        for (const listener of this.#listeners) tell(listener, change);
      },
    );
    return this.#stream;
  }

  #prepare<P extends string>(action: Action<P>): Prepared {
    return prepare(action, this.#agentId, this.#options.minimalContext === true);
  }

  async #check(question: Prepared): Promise<Decision> {
    if (!this.#options.cache) return this.#ask(question);
    const { action } = question;
    const plain =
      !question.dryRun && !question.reserve && !action.proof && !action.approvalId &&
      !action.idempotencyKey;
    const stream = this.#follow();
    if (!plain || !stream.live) return this.#ask(question);
    const key = canonicalize([question.policy, question.body]);
    const now = performance.now();
    const known = this.#cache.get(key);
    if (known && now < known.until) return known.decision;
    this.#cache.delete(key);
    const changes = this.#changes;
    let replayed = false;
    const decision = await this.#ask(question, (answer) => {
      replayed = answer.headers.has('idempotent-replayed');
    });
    // The life of an allow counts from the question, and ends with any change since.
    if (decision.allow && !replayed && decision.expiresIn > 0) {
      if (stream.live && changes === this.#changes) {
        if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
        const until = now + decision.expiresIn * 1000;
        this.#cache.set(key, { decision: Object.freeze({ ...decision, cached: true }), until });
      }
    }
    return decision;
  }

  async #ask(question: Prepared, seen?: (answer: Received) => void): Promise<Decision> {
    const { action } = question;
    try {
      const [answer, keys] = await Promise.all([
        this.#http.send({
          ...question.passed,
          method: 'POST',
          path: `/api/verify/policy/${question.path}${question.query}`,
          body: question.body,
          idempotencyKey: action.idempotencyKey ?? randomUUID(),
        }),
        this.#keys.forDecisions(),
      ]);
      if (answer.status !== 200) {
        throw new UnavailableError(`The answer has the status ${answer.status}, not 200.`);
      }
      seen?.(answer);
      return await this.#read(answer.json, question, keys);
    } catch (error) {
      return this.#failed(question, error);
    }
  }

  /** Reads an answer; a key that is not known may be new, so the key set is read again, once. */
  async #read(answer: unknown, question: Question, keys: Keys | undefined): Promise<Decision> {
    let current = keys;
    if (current && isObject(answer)) {
      const inner = isObject(answer['decision']) ? answer['decision'] : answer;
      if (typeof inner['kid'] === 'string' && !current.has(inner['kid'])) {
        current = await this.#keys.renewed();
      }
    }
    return readAnswer(answer, question, current);
  }

  #failed(question: Question, error: unknown): Decision {
    const known =
      error instanceof SafeconductError
        ? error
        : new UnavailableError('The answer of the service cannot be used.', { cause: error });
    const decision = unavailable(question, known);
    if (this.#options.onUnavailable) tell(this.#options.onUnavailable, decision);
    return decision;
  }

  async #settle(question: Question, id: string, how: 'commit' | 'release'): Promise<void> {
    try {
      await this[how](id);
    } catch (error) {
      // The action ran or failed already. An open reservation expires and then counts.
      this.#failed(question, error);
    }
  }

  async #call(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object): Promise<JsonObject> {
    const sent = body === undefined ? {} : { body: toJson(body, 'body') };
    const { json } = await this.#http.send({ method, path, ...sent });
    if (!isObject(json)) throw new UnavailableError('The answer of the service is not an object.');
    return json;
  }
}

/** Calls a function of the caller's. What it throws must not end a decision or the stream. */
function tell<T>(listener: (value: T) => unknown, value: T): void {
  void (async () => listener(value))().catch(() => {});
}
