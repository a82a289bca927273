// Against a running service: SAFECONDUCT_URL, SAFECONDUCT_API_KEY (all scopes), SAFECONDUCT_ADMIN_TOKEN.
// sdk/test starts one. SAFECONDUCT_RANDOM names the folder of sdk/vectors/random.mjs.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { join } from 'node:path';
import {
  ActionDenied, ApiError, canonicalize, digest, Safeconduct, verifyDecision, verifyReceipt, verifyToken,
} from '@safeconduct/client';

const live = { skip: process.env.SAFECONDUCT_URL ? false : 'no SAFECONDUCT_URL' };
const policy = 'system.command.execute.v1';
const limits = { 'system.command.execute': { allowed_commands: ['ls'] } };
const capabilities = [{ id: 'system.command.execute' }];

describe('a running service', live, () => {
  const sc = new Safeconduct({ baseUrl: process.env.SAFECONDUCT_URL ?? 'http://127.0.0.1', timeoutMs: 10_000 });
  let agentId;
  let org;
  const passportOf = (more = {}) => sc.issue({ name: 'A test', description: 'An agent of a test.', capabilities, limits, ...more });
  // A level of assurance above L0 takes the operator.
  async function issuedByAdmin(passport) {
    const answer = await fetch(`${process.env.SAFECONDUCT_URL}/api/passports?org_id=${org}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${process.env.SAFECONDUCT_ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Assured', description: 'An agent of a test.', assurance_level: 'L2', ...passport }),
    });
    return (await answer.json()).agent_id;
  }
  before(async () => ({ agent_id: agentId, owner_id: org } = await passportOf()));

  test('allows, denies, and both are verified', async () => {
    const allow = await sc.check({ agentId, policy, context: { command: 'ls' } });
    assert.deepEqual([allow.allow, allow.verified, allow.reasons[0].code], [true, true, 'oap.allowed']);
    const deny = await sc.check({ agentId, policy, context: { command: 'reboot “é” \u{1F600}' } });
    assert.deepEqual([deny.allow, deny.verified], [false, true]);
    const jwks = await sc.keySet();
    assert.ok(verifyDecision(allow, jwks) && verifyDecision(allow.raw, jwks) && verifyDecision(deny, jwks));
    assert.ok(!verifyDecision({ ...deny, allow: true }, jwks));
    assert.ok(!verifyDecision({ ...allow, expiresIn: 60 }, jwks));
  });

  test('reads the agent from the environment', async () => {
    process.env.SAFECONDUCT_AGENT_ID = agentId;
    const fromEnvironment = new Safeconduct({ timeoutMs: 10_000 });
    delete process.env.SAFECONDUCT_AGENT_ID;
    assert.equal(await fromEnvironment.guard({ policy, context: { command: 'ls' } }, () => 7), 7);
  });

  test('guards', async () => {
    let ran = 0;
    const run = (command) => sc.guard({ agentId, policy, context: { command } }, () => ++ran);
    assert.equal(await run('ls'), 1);
    await assert.rejects(run('nmap'), (error) =>
      error instanceof ActionDenied && error.code === 'oap.command_not_allowed' && error.message.includes(error.decisionId));
    assert.equal(ran, 1);
  });

  test('unknown policy, agent and key are denies', async () => {
    const unknown = await sc.check({ agentId, policy: 'no.such.pack.v1', context: {} });
    assert.deepEqual([unknown.allow, unknown.error.status], [false, 404]);
    assert.equal((await sc.check({ agentId: 'ap_x', policy, context: {} })).error.status, 404);
    const stranger = new Safeconduct({ apiKey: 'sck_stranger', timeoutMs: 10_000 });
    const denied = await stranger.check({ agentId, policy, context: { command: 'ls' } });
    assert.deepEqual([denied.allow, denied.error.code], [false, 'unauthorized']);
  });

  test('any JSON as a context has the same digest here and there', async () => {
    for (const context of [
      { command: 'ls', x: [1.0, -0, 1e21, 1e-7, 5e-324, null, { 'é': 'e\u0301', '\u{1F600}': 1, 'ﬃ': 2 }] },
      { command: '\u0000\u2028"\\', __proto__: null, cwd: null, when: new Date(0) },
    ]) {
      const decision = await sc.check({ agentId, policy, context });
      assert.notEqual(decision.decisionId, null, decision.reasons[0].message);
      assert.equal(decision.raw.context_digest, digest(context));
    }
    assert.equal(canonicalize({ b: undefined, a: 1 }), '{"a":1}');
  });

  test('answers a batch in order', async () => {
    const all = await sc.batch(['ls', 'nmap', 'ls'].map((command) => ({ agentId, policy, context: { command } })));
    assert.deepEqual(all.map((d) => [d.allow, d.verified]), [[true, true], [false, true], [true, true]]);
  });

  test('tokens are good for their context', async () => {
    const context = { command: 'ls' };
    const { token } = await sc.token({ agentId, policy, context });
    const jwks = await sc.keySet();
    assert.equal(verifyToken(token, jwks, { contextDigest: digest(context), agentId, policy }).sub, agentId);
    assert.equal(verifyToken(token, jwks, { contextDigest: digest({ command: 'rm' }) }), null);
    assert.ok(await sc.verifyToken(token, { contextDigest: digest(context) }));
    assert.equal((await sc.token({ agentId, policy, context: { command: 'nmap' } })).token, null);
  });

  test('receipts show the record in the log', async () => {
    const decision = await sc.check({ agentId, policy, context: { command: 'ls' }, proof: true });
    const { record, proof } = await sc.record(decision.decisionId);
    const jwks = await sc.keySet();
    assert.ok(verifyReceipt({ decision: decision.raw, record, proof }, jwks));
    assert.ok(verifyReceipt({ record, proof: decision.proof }, jwks));
    assert.ok(!verifyReceipt({ record: { ...record, at: '2020-01-01T00:00:00.000Z' }, proof }, jwks));
  });

  test('a reservation is committed or released', async () => {
    const payer = await issuedByAdmin({ capabilities: [{ id: 'finance.payment.refund' }],
      limits: { 'finance.payment.refund': { refund_reason_codes: ['late'],
        currency_limits: { EUR: { max_per_tx: 100, daily_cap: 100 } } } } });
    const refund = (n, fn) => sc.guard({
      agentId: payer, policy: 'finance.payment.refund.v1', reserve: true,
      context: { order_id: 'A-1', customer_id: 'c-1', amount: 100, currency: 'EUR', region: 'EU',
        reason_code: 'late', idempotency_key: `refund-no-${n}` } }, fn);
    await assert.rejects(refund(1, () => { throw new RangeError('the bank is closed'); }), RangeError);
    assert.equal(await refund(2, () => 'paid'), 'paid'); // The released amount is free again.
    await assert.rejects(refund(3, () => 'paid twice'), ActionDenied);
  });

  test('a suspension ends a cached allow at once', async () => {
    const cached = new Safeconduct({ cache: true, timeoutMs: 10_000 });
    const agent = (await passportOf({ name: 'Cached' })).agent_id;
    const ask = () => cached.check({ agentId: agent, policy, context: { command: 'ls' } });
    try {
      await cached.connect();
      const first = await ask();
      const second = await ask();
      assert.deepEqual([first.cached, second.cached], [false, true]);
      assert.equal(second.decisionId, first.decisionId);
      await sc.suspend(agent, 'a test');
      const began = performance.now();
      while ((await ask()).allow) assert.ok(performance.now() - began < 3000, 'still allowed');
      await sc.activate(agent);
      assert.ok((await ask()).allow);
    } finally {
      cached.close();
    }
  });

  test('an action waits for a person, who approves or refuses it', { skip: process.env.SAFECONDUCT_OWNER_LINK ? false : 'no SAFECONDUCT_OWNER_LINK' }, async () => {
    const base = process.env.SAFECONDUCT_URL;
    const [email, password] = ['owner@example.com', 'correct horse battery staple'];
    const link = process.env.SAFECONDUCT_OWNER_LINK;
    const page = await fetch(link);
    const [, csrf_token] = /name="csrf_token" value="([^"]+)"/.exec(await page.text());
    const cookiesOf = (answer) => answer.headers.getSetCookie().map((each) => each.split(';')[0]).join('; ');
    await fetch(link, { method: 'POST', headers: { Cookie: cookiesOf(page), Origin: base },
      body: new URLSearchParams({ csrf_token, email, password }) });
    const login = await fetch(`${base}/api/auth/login`, { method: 'POST',
      headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ email, password }) });
    const headers = { Cookie: cookiesOf(login), 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json',
      'X-CSRF-Token': (await login.json()).csrf_token };
    const sender = await issuedByAdmin({ capabilities: [{ id: 'messaging.send' }],
      limits: { 'messaging.send': { msgs_per_min: 10, msgs_per_day: 50, approval_required: true } } });

    const asking = new Safeconduct({ timeoutMs: 10_000, approvalPollMs: 100 });
    const answered = async (message, how) => {
      const action = { agentId: sender, policy: 'messaging.message.send.v1',
        context: { channel_id: 'team', message, message_type: 'text' } };
      const waiting = await asking.check(action);
      assert.equal(waiting.reasons[0].code, 'oap.approval_required');
      const outcome = asking.waitForApproval(action, waiting, 30_000);
      const { approvalId } = waiting.approval;
      const answer = await fetch(`${base}/api/approvals/${approvalId}/${how}`, { method: 'POST', headers, body: '{}' });
      assert.equal(answer.status, 200);
      const { allow, verified, reasons: [{ code }] } = await outcome;
      return [allow, verified, code];
    };
    assert.deepEqual(await answered('Hi', 'approve'), [true, true, 'oap.allowed']);
    assert.deepEqual(await answered('Hello', 'refuse'), [false, true, 'oap.approval_required']);
  });

  test('errors of other calls have types', async () => {
    await assert.rejects(sc.setStatus(agentId, 'asleep'), (e) => e instanceof ApiError && e.status === 400);
    await assert.rejects(sc.passport('ap_nobody'), (e) => e.status === 404 && /^req_/.test(e.requestId));
    await assert.rejects(sc.issue({ name: 'x', capabilitys: [] }), (e) => e.field !== undefined);
    assert.equal((await sc.passport(agentId)).agent_id, agentId);
    assert.equal((await sc.agent(agentId)).status, 'active');
    assert.ok((await sc.passports({ limit: '5' })).passports.length > 0);
  });

  const folder = process.env.SAFECONDUCT_RANDOM ?? '';
  test('random decisions verify, and none with a byte changed', { skip: existsSync(folder) ? false : 'no SAFECONDUCT_RANDOM' }, () => {
    const lines = (name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    const jwks = JSON.parse(readFileSync(join(folder, 'jwks.json'), 'utf8'));
    const good = (line) => {
      try { return verifyDecision(JSON.parse(line), jwks); } catch { return false; }
    };
    const decisions = lines('decisions.ndjson');
    const changed = lines('changed.ndjson');
    assert.equal(decisions.length, changed.length);
    assert.deepEqual(decisions.filter((line) => !good(line)), []);
    assert.deepEqual(changed.filter(good), []);
  });
});
