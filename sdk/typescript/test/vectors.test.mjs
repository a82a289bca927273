import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  ActionDenied, ApiError, canonicalize, Safeconduct, UnavailableError, verifyDecision, verifyReceipt,
  verifyToken,
} from '@safeconduct/client';
import { at, filled, play, recorded, vectors } from './script-server.mjs';

describe('canonical JSON', () => {
  for (const each of vectors('canonical').cases) {
    test(each.name, () => {
      if (each.refused) return assert.throws(() => canonicalize(JSON.parse(each.json)), TypeError);
      const text = canonicalize(JSON.parse(each.json));
      assert.equal(text, each.canonical);
      assert.equal(createHash('sha256').update(text).digest('hex'), each.sha256);
    });
  }
});

describe('signatures', () => {
  const file = vectors('signatures');
  for (const each of file.cases) {
    test(each.name, () =>
      assert.equal(verifyDecision(JSON.parse(each.decision), each.jwks ?? file.jwks), each.valid));
  }
});

describe('tokens', () => {
  const file = vectors('tokens');
  for (const each of file.cases) {
    test(each.name, () => {
      const { context_digest, agent_id, issuer, audience, policy, now } = each.options;
      const expected = { contextDigest: context_digest, agentId: agent_id, issuer, audience, policy, now };
      const claims = verifyToken(each.token, each.jwks ?? file.jwks, expected);
      assert.equal(claims !== null, each.valid);
    });
  }
});

describe('receipts', () => {
  const file = vectors('receipts');
  for (const each of file.cases) {
    test(each.name, () => assert.equal(verifyReceipt(each, each.jwks ?? file.jwks), each.valid));
  }
});

const questionOf = (question) => {
  const { agent_id, policy, context } =
    typeof question === 'string' ? recorded.questions[question] : filled(question);
  return { agentId: agent_id, policy, context };
};

function optionsOf(options = {}) {
  const names = { idempotency_key: 'idempotencyKey', request_id: 'requestId', traceparent: 'traceparent',
    dry_run: 'dryRun', reserve: 'reserve', wait_for_approval_ms: 'waitForApprovalMs' };
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [names[name], value]));
}

function checkDecision(decision, expect) {
  if ('allow' in expect) assert.equal(decision.allow, expect.allow, JSON.stringify(decision.reasons));
  if ('code' in expect) assert.equal(decision.reasons[0].code, expect.code);
  if ('verified' in expect) assert.equal(decision.verified, expect.verified);
  if ('approval' in expect) assert.match(decision.approval.approvalId, /^apr_/);
  if ('status' in expect) assert.equal(decision.error.status, expect.status);
  if ('error_code' in expect) assert.equal(decision.error.code, expect.error_code);
  if (decision.reasons[0].code === 'client.unavailable') {
    assert.deepEqual([decision.allow, decision.decisionId, decision.raw], [false, null, null]);
  } else {
    assert.equal(typeof decision.decisionId, 'string');
    assert.ok(decision.expiresAt instanceof Date);
  }
}

class FnError extends Error {}
const kinds = { denied: ActionDenied, api: ApiError, unavailable: UnavailableError, argument: TypeError, fn: FnError };

async function run(step, client, server) {
  const { call, expect = {} } = step;
  let ran = false;
  const calls = {
    check: async () => checkDecision(
      await client().check({ ...questionOf(step.question), ...optionsOf(step.options) }), expect),
    guard: () => client().guard({ ...questionOf(step.question), ...optionsOf(step.options) }, () => {
      ran = true;
      if (step.fn === 'throws') throw new FnError('the action failed');
      return 'done';
    }),
    batch: async () => (await client().batch(step.questions.map(questionOf)))
      .forEach((decision, i) => checkDecision(decision, expect[i])),
    set_status: () => client().setStatus(filled(step.agent_id), step.status, step.reason),
    passport: () => client().passport(filled(step.agent_id)),
    issue: () => client().issue(step.passport),
    connect: () => client().connect(),
    event: async () => {
      const heard = new Promise((resolve) => void client().onRevocation(resolve));
      await new Promise((resolve) => setTimeout(resolve, 10));
      server.event(step.event, filled(step.data));
      await heard;
    },
    end_stream: async () => {
      const heard = new Promise((resolve) => void client().onRevocation(resolve));
      server.endStream();
      await heard;
    },
    silence: async () => server.silence(),
    wait: () => new Promise((resolve) => setTimeout(resolve, step.ms)),
  };
  const began = performance.now();
  let result;
  let error;
  try {
    result = await calls[call]();
  } catch (e) {
    error = e;
  }
  const took = performance.now() - began;
  if (step.within_ms) assert.ok(took <= step.within_ms, `it took ${took} ms`);
  if (step.after_ms) assert.ok(took >= step.after_ms, `it took ${took} ms`);
  if (expect.throws) {
    assert.ok(error instanceof kinds[expect.throws], `${expect.throws} is not ${error}`);
    if (expect.throws === 'denied') {
      assert.equal(error.code, expect.code ?? error.code);
      if (expect.approval) assert.ok(error.message.includes(error.approval.url));
    } else {
      for (const [member, name] of [['code', 'code'], ['status', 'status'], ['field', 'field'],
        ['request_id', 'requestId'], ['message', 'message']]) {
        if (member in expect) assert.equal(error[name], expect[member]);
      }
    }
  } else if (error) {
    throw error;
  }
  if ('ran' in expect) assert.equal(ran, expect.ran);
  if ('returns' in expect) assert.equal(result, expect.returns);
  for (const [pointer, value] of Object.entries(expect.result ?? {})) {
    assert.equal(at(result, pointer), filled(value));
  }
}

function checkRequests(expected, received) {
  assert.deepEqual(received.map((r) => r.path).length, expected.length, JSON.stringify(received.map((r) => r.path)));
  expected.forEach((want, i) => {
    const got = received[i];
    if (want.method) assert.equal(got.method, want.method);
    if (want.path) assert.equal(got.path, filled(want.path));
    for (const [name, value] of Object.entries(want.headers ?? {})) {
      const is = got.headers[name.toLowerCase()];
      if (value === null) assert.equal(is, undefined);
      else if (value === '*') assert.ok(is);
      else if (/^=\d$/.test(value)) assert.equal(is, received[value[1]].headers[name.toLowerCase()]);
      else if (/^!\d$/.test(value)) assert.notEqual(is, received[value[1]].headers[name.toLowerCase()]);
      else if (value.startsWith('~')) assert.match(is, new RegExp(value.slice(1)));
      else assert.equal(is, value);
    }
    if (want.body) assert.deepEqual(JSON.parse(got.text), filled(want.body));
    if (want.body_of) {
      const { agent_id, context } = recorded.questions[want.body_of];
      assert.deepEqual(JSON.parse(got.text), { agent_id, context, ...filled(want.body_has ?? {}) });
    }
  });
}

describe('client', { concurrency: 8 }, () => {
  for (const script of vectors('client').cases) {
    test(script.name, async () => {
      const server = await play(filled(script));
      const { timeout_ms, require_signature, cache, minimal_context, poll_ms, base_url_suffix = '',
        api_key = 'sck_test' } = script.options ?? {};
      let made;
      const client = () => (made ??= new Safeconduct({
        baseUrl: server.url + base_url_suffix, apiKey: api_key, timeoutMs: timeout_ms ?? 20_000, cache,
        requireSignature: require_signature, minimalContext: minimal_context, approvalPollMs: poll_ms }));
      try {
        server.begin();
        for (const step of script.steps) await run(step, client, server);
        if (script.requests) checkRequests(script.requests, server.received);
        if ('jwks_requests' in script) assert.equal(server.keyRequests, script.jwks_requests);
      } finally {
        made?.close();
        await server.stop().catch(() => {});
      }
    });
  }
});

test('an answer that is cut anywhere never runs the action', async () => {
  const { agent_id: agentId, policy, context } = recorded.questions.allow;
  const length = JSON.stringify(recorded.answers.allow).length;
  const cuts = Array.from({ length: 40 }, (_, i) => Math.floor((i * length) / 40));
  const server = await play({ server: cuts.map((cut) => ({ answer: 'allow', cut })) });
  const sc = new Safeconduct({ baseUrl: server.url, apiKey: 'sck_test', timeoutMs: 20_000 });
  let ran = 0;
  for (const _ of cuts) {
    await assert.rejects(sc.guard({ agentId, policy, context }, () => ran++), ActionDenied);
  }
  assert.deepEqual([ran, server.received.length], [0, cuts.length]);
  await server.stop();
});

test('callbacks are told, and what they throw changes nothing', async () => {
  const { agent_id: agentId, policy, context } = recorded.questions.allow;
  const server = await play({ server: [] });
  const told = [];
  for (const fails of [() => { throw new Error('x'); }, async () => { throw new Error('x'); }]) {
    const sc = new Safeconduct({ baseUrl: server.url, apiKey: 'sck_test', timeoutMs: 20_000,
      onUnavailable: (decision) => { told.push(decision); return fails(); } });
    assert.equal((await sc.check({ agentId, policy, context })).allow, false);
  }
  assert.deepEqual(told.map((d) => d.error.status), [500, 500]);
  await server.stop();
});

test('a context that JSON cannot hold is refused before anything is sent', async () => {
  const server = await play({ server: [] });
  const sc = new Safeconduct({ baseUrl: server.url, apiKey: 'sck_test', agentId: 'ap_1' });
  const loop = {};
  loop.loop = loop;
  for (const context of [null, 'x', [], { n: NaN }, { n: 1n }, { f() {} }, { s: Symbol('x') }, loop,
    { m: new Map() }, { a: [undefined] }, new Proxy({}, { ownKeys() { throw new TypeError('x'); } })]) {
    await assert.rejects(sc.check({ policy: 'web.fetch.v1', context }), TypeError);
  }
  await assert.rejects(sc.guard({ policy: 'web.fetch.v1', context: {} }), TypeError);
  assert.equal(server.received.length, 0);
  await server.stop();
});

test('an abort after the allow never runs the action', async () => {
  const { agent_id: agentId, policy, context } = recorded.questions.allow;
  const server = await play({ server: [{ answer: 'allow' }] });
  const stop = new AbortController();
  const sc = new Safeconduct({ baseUrl: server.url, apiKey: 'sck_test', timeoutMs: 20_000, keys: {
    get keys() { return recorded.jwks.keys; } }, fetch: async (...args) => {
    const answer = await fetch(...args);
    const bytes = await answer.arrayBuffer();
    stop.abort();
    return new Response(bytes, answer);
  } });
  let ran = false;
  await assert.rejects(sc.guard({ agentId, policy, context, signal: stop.signal }, () => (ran = true)), ActionDenied);
  assert.equal(ran, false);
  await server.stop();
});

test('a base address with a password is refused', () => {
  for (const user of ['u', 'u:p', ':p']) {
    assert.throws(() => new Safeconduct({ baseUrl: `http://${user}@127.0.0.1:1` }), TypeError);
  }
});
