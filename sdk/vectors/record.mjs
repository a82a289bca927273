// Records the vectors that need a service: answers.json, signatures.json, tokens.json, receipts.json.
// node record.mjs BASE_URL ADMIN_TOKEN, with BASE_URL a fresh service on its first start's key
// SAFECONDUCT_API_KEY. The private keys of the service and of this program are not kept.
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { canonical, save } from './canonical.mjs';

const [base, admin] = process.argv.slice(2);
const key = process.env.SAFECONDUCT_API_KEY;

async function call(method, path, body, headers = {}) {
  const answer = await fetch(base + path, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
  return json;
}
const asAdmin = { Authorization: `Bearer ${admin}` };

// Two agents: one runs commands, one pays back and writes messages that a person approves.
const own = await call('POST', '/api/passports', {
  name: 'Vectors', description: 'An agent of the vectors.',
  capabilities: [{ id: 'system.command.execute' }],
  limits: { 'system.command.execute': { allowed_commands: ['ls', 'make test'] } } });
const org = own.owner_id;
const payer = await fetch(`${base}/api/passports?org_id=${org}`, {
  method: 'POST', headers: { ...asAdmin, 'Content-Type': 'application/json' },
  body: JSON.stringify({
    name: 'Payer', description: 'An agent of the vectors.', assurance_level: 'L2',
    capabilities: [{ id: 'finance.payment.refund' }, { id: 'messaging.send' }],
    limits: {
      'finance.payment.refund': {
        currency_limits: { EUR: { max_per_tx: 8000, daily_cap: 90000 } },
        refund_reason_codes: ['damaged'] },
      'messaging.send': { msgs_per_min: 10, msgs_per_day: 50, approval_required: true } } }),
}).then((r) => r.json());

const agent = own.agent_id;
const shell = 'system.command.execute.v1';
const questions = {
  allow: { agent_id: agent, policy: shell, context: { command: 'ls' } },
  deny: { agent_id: agent, policy: shell, context: { command: 'reboot “Grüße” \u{1F600}' } },
  approval: { agent_id: payer.agent_id, policy: 'messaging.message.send.v1',
    context: { channel_id: 'team', message: 'Hi', message_type: 'text' } },
  reserved: { agent_id: payer.agent_id, policy: 'finance.payment.refund.v1',
    context: { order_id: 'A-17', customer_id: 'c-3', amount: 2500, currency: 'EUR', region: 'EU',
      reason_code: 'damaged', idempotency_key: 'refund-A-17' } },
  dry_run: { agent_id: agent, policy: shell, context: { command: 'ls' } },
  alias: { agent_id: agent, policy: shell, context: { cmd: 'ls' } },
  lifted: { agent_id: agent, policy: shell, context: { params: { command: 'ls' } } },
  other_context: { agent_id: agent, policy: shell, context: { command: 'make test' } },
};
const query = { reserved: '?reserve=true', dry_run: '?dry_run=true', allow: '?proof=true' };
const ask = (q, rest = '', headers = {}) => call('POST', `/api/verify/policy/${q.policy}${rest}`,
  { agent_id: q.agent_id, context: q.context }, headers);
const answers = {};
for (const [name, q] of Object.entries(questions)) answers[name] = await ask(q, query[name]);
answers.minimal = await ask(questions.allow, '', { Prefer: 'return=minimal' });
answers.batch = await call('POST', '/api/verify/batch', { evaluations: [
  { policy_id: shell, agent_id: agent, context: { command: 'ls' } },
  { policy_id: shell, agent_id: agent, context: { command: 'nmap' } },
  { policy_id: 'no.such.pack.v1', agent_id: agent, context: {} }] });
const receipt = answers.allow;
const record = await call('GET', `/api/audit/${receipt.decision_id}`);
const proof = await call('GET', `/api/audit/${receipt.decision_id}/proof`);
const otherRecord = await call('GET', `/api/audit/${answers.deny.decision_id}`);
const statusRecord = (await call('GET', '/api/audit?limit=50')).records
  .find((each) => each.kind !== 'decision');
const token = await call('POST', `/api/verify/token/${shell}`,
  { agent_id: agent, context: { command: 'ls' } });
const passport = await call('GET', `/api/passports/${agent}`);
answers.suspended = await call('PUT', `/api/passports/${agent}/status`,
  { status: 'suspended', reason: 'vectors' });
const suspendedDeny = await ask(questions.allow);
answers.agent_suspended = suspendedDeny;
const jwks = await call('GET', '/jwks.json');
const tlog = receipt.proof;
delete answers.allow.proof;

// Keys of this program stand for keys of other purposes, for keys that came later and for forgers.
function ownKey(kid) {
  const pair = generateKeyPairSync('ed25519');
  return { jwk: { ...pair.publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'EdDSA' },
    private: pair.privateKey };
}
const text = (value) => JSON.stringify(value);
function signed(decision, with_, kid = with_.jwk.kid) {
  const { log_index, signature, ...rest } = { ...decision, kid };
  const bytes = sign(null, Buffer.from(canonical(rest)), with_.private);
  return { ...rest, log_index, signature: `ed25519:${bytes.toString('base64')}` };
}
const later = ownKey('oap:registry:decision-00000000000000aa');
const tokenKey = ownKey('oap:registry:decision_token-00000000000000bb');
const checkpointKey = ownKey('oap:registry:checkpoint-00000000000000cc');
const plain = answers.allow.decision;
const with_ = (d, changes) => ({ ...d, ...changes });
// What a person's approval, a new key and a longer life change, signed by the later key.
function answerOf(full, changes) {
  const decision = signed({ ...full.decision, ...changes }, later);
  const { approval, ...rest } = full;
  return { ...rest, ...decision, decision, verified: decision.allow, reason: decision.reasons[0].message };
}
const id = (n) => plain.decision_id.replace(/.{4}$/, n);
answers.approved = answerOf(answers.approval, { allow: true, reasons: plain.reasons, decision_id: id('aaaa') });
answers.refused = answerOf(answers.approval, { decision_id: id('bbbb'), reasons: [
  { code: 'oap.approval_required', message: 'A person has refused this action.', severity: 'error' }] });
answers.new_key = answerOf(answers.allow, { decision_id: id('cccc') });
answers.two_seconds = answerOf(answers.allow, { decision_id: id('dddd'), expires_in: 2 });
answers.uncached = answerOf(answers.allow, { decision_id: id('eeee'), expires_in: 0 });
save('answers.json', { about: 'Answers of a service, recorded by record.mjs.', jwks,
  jwks_later: { keys: [...jwks.keys, later.jwk] }, questions, passport, answers });

const cases = [];
const add = (name, decision, valid, set) =>
  cases.push({ name, decision: text(decision), valid,
    ...(set ? { jwks: set } : {}) });
const keys = (...more) => ({ keys: [...jwks.keys, ...more.map((m) => m.jwk)] });

for (const name of ['allow', 'deny', 'approval', 'reserved', 'dry_run', 'minimal', 'agent_suspended'])
  add(`recorded: ${name}`, answers[name], true);
add('the object under "decision" alone', plain, true);
add('members in another order', Object.fromEntries(Object.entries(plain).reverse()), true);
cases.push({ name: 'white space and escapes do not count', valid: true,
  decision: JSON.stringify(plain, null, 4).replace('"allow"', '"\\u0061llow"') });
add('signed by a key that came later', signed(plain, later), true, keys(later));
add('numbers and names that sort by UTF-16',
  signed(with_(plain, { 'ﬃ': 1e21, '\u{1F600}': -0, '\u0001': 1.5e-7, 'é': '\u007f\u2028"\\/' }),
    later), true, keys(later));
for (const [name, value] of Object.entries({
  allow: false, agent_id: plain.agent_id + 'x', policy_id: 'web.fetch.v1', expires_in: 31,
  expires_at: '2036-01-01T00:00:00Z', dry_run: true, reasons: [], owner_id: 'org_x',
  decision_id: plain.decision_id.replace(/.$/, (c) => (c === '0' ? '1' : '0')),
  context_digest: 'sha256:' + '0'.repeat(64), passport_source: 'request' }))
  add(`changed: ${name}`, with_(plain, { [name]: value }), false);
add('changed: a deny turned into an allow', with_(answers.deny.decision, { allow: true }), false);
add('a member added', with_(plain, { note: 'x' }), false);
{ const { dry_run, ...rest } = plain; add('a member removed', rest, false); }
add('a type changed', with_(plain, { expires_in: '30' }), false);
add('full answer: allow beside the decision differs', with_(answers.deny, { allow: true }), false);
add('full answer: verified differs', with_(answers.deny, { verified: true }), false);
add('full answer: the decision inside differs',
  with_(answers.deny, { decision: with_(answers.deny.decision, { allow: true }) }), false);
add('full answer: another good decision inside',
  with_(answers.deny, { decision: answers.allow.decision }), false);
add('unknown kid', signed(plain, later), false);
add('kid of another key', with_(plain, { kid: jwks.keys[0].kid }), false);
add('no kid', (({ kid, ...rest }) => rest)(plain), false);
add('key of another purpose: decision tokens', signed(plain, tokenKey), false, keys(tokenKey));
add('key of another purpose: checkpoints', signed(plain, checkpointKey), false, keys(checkpointKey));
add('wrong key under the right kid', plain, false, { keys: [{ ...later.jwk, kid: plain.kid }] });
add('key set without keys', plain, false, { keys: [] });
add('key of another curve under the kid', plain, false,
  { keys: [{ ...jwks.keys.find((k) => k.kid === plain.kid), crv: 'Ed448' }] });
add('key of 31 bytes', plain, false, { keys: [{ ...later.jwk, kid: plain.kid, x: 'A'.repeat(41) }] });
const mark = 'ed25519:';
const raw = Buffer.from(plain.signature.slice(mark.length), 'base64');
const forged = (bytes) => with_(plain, { signature: mark + bytes.toString('base64') });
for (let i = 0; i < 64; i += 9) {
  const copy = Buffer.from(raw); copy[i] ^= 1;
  add(`signature: bit 0 of byte ${i} changed`, forged(copy), false);
}
add('signature: absent', (({ signature, ...rest }) => rest)(plain), false);
add('signature: null', with_(plain, { signature: null }), false);
add('signature: empty', with_(plain, { signature: '' }), false);
add('signature: without its prefix', with_(plain, { signature: plain.signature.slice(8) }), false);
add('signature: another algorithm', with_(plain,
  { signature: plain.signature.replace('ed25519', 'ed448') }), false);
add('signature: prefix in capitals', with_(plain,
  { signature: plain.signature.replace('ed25519', 'ED25519') }), false);
add('signature: all zero', forged(Buffer.alloc(64)), false);
add('signature: 63 bytes', forged(raw.subarray(0, 63)), false);
add('signature: 65 bytes', forged(Buffer.concat([raw, Buffer.alloc(1)])), false);
add('signature: no padding', with_(plain, { signature: plain.signature.replace(/=+$/, '') }), false);
add('signature: white space in base64', with_(plain,
  { signature: plain.signature.replace(/=+$/, ' ==') }), false);
{ // The last digit of base64 has four bits that mean nothing; a set one is another spelling.
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const at = plain.signature.length - 3;
  const other = digits[digits.indexOf(plain.signature[at]) + 1];
  add('signature: another spelling of the same bytes', with_(plain,
    { signature: plain.signature.slice(0, at) + other + '==' }), false);
}
{ // S + L is the same signature to a verifier that does not reduce S (RFC 8032 section 5.1.7).
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  let s = BigInt('0x' + Buffer.from(raw.subarray(32)).reverse().toString('hex')) + order;
  const high = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  add('signature: S is not reduced', forged(Buffer.concat([raw.subarray(0, 32), high])), false);
}
add('only the object under "decision"', { decision: plain }, true);
add('full answer: allow beside the decision is 1', with_(answers.allow, { allow: 1 }), false);
cases.push({ name: 'full answer: a number beside the decision is spelled otherwise', valid: true,
  decision: JSON.stringify(answers.allow).replace('"expires_in":30,', '"expires_in":30.0,') });
add('a key that is not valid is ignored', plain, true, keys({ jwk: { ...later.jwk, x: '!' } }));
add('a key of another kind with the same id is ignored', plain, true,
  keys({ jwk: { kty: 'EC', crv: 'P-256', kid: plain.kid, x: later.jwk.x, y: later.jwk.x } }));
for (const [name, y] of Object.entries({ 'of small order': `${'00'.repeat(31)}80`,
  'in a second spelling': `f0${'ff'.repeat(30)}7f` }))
  add(`a key ${name} with the same id is ignored`, plain, true,
    keys({ jwk: { ...later.jwk, kid: plain.kid, x: Buffer.from(y, 'hex').toString('base64url') } }));
{
  const right = jwks.keys.find((k) => k.kid === plain.kid);
  const wrong = { ...later.jwk, kid: plain.kid };
  add('two keys with one id, the right one first', plain, false, { keys: [right, wrong] });
  add('two keys with one id, the right one last', plain, false, { keys: [wrong, right] });
}
add('two other keys with one id', plain, false, keys(later, later));
for (const y of ['00'.repeat(32), `01${'00'.repeat(31)}`, `ec${'ff'.repeat(30)}7f`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a']) {
  // A key of small order accepts what nobody signed: one of eight texts with this signature.
  const jwk = { ...later.jwk, kid: plain.kid, x: Buffer.from(y, 'hex').toString('base64url') };
  const key_ = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: 'jwk' });
  const nobodys = Buffer.concat([Buffer.from([1]), Buffer.alloc(63)]);
  const { log_index, signature, ...rest } = plain;
  for (let i = 0; ; i++) {
    if (!verify(null, Buffer.from(canonical({ ...rest, i })), key_, nobodys)) continue;
    add(`key of small order: ${y.slice(0, 4)}`, { ...rest, i, log_index,
      signature: mark + nobodys.toString('base64') }, false, { keys: [jwk] });
    break;
  }
}
for (const [name, value] of Object.entries({ 'an array': [], null: null, 'a string': 'x',
  'a number': 1, true: true, 'an empty object': {} }))
  add(`not a decision: ${name}`, value, false);
save('signatures.json', { about: 'verifyDecision(JSON.parse(decision), jwks of the case or of the file) is `valid`.',
  jwks, cases });

// Tokens.
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const [head, claims] = token.token.split('.').slice(0, 2)
  .map((p) => JSON.parse(Buffer.from(p, 'base64url')));
const jwt = (h, c, with__) => {
  const input = `${part(h)}.${part(c)}`;
  return `${input}.${sign(null, Buffer.from(input), with__.private).toString('base64url')}`;
};
const ownHead = { ...head, kid: tokenKey.jwk.kid };
const at = claims.iat + 1;
const expected = { issuer: claims.iss, audience: claims.aud, agent_id: claims.sub,
  policy: claims.policy_id, context_digest: claims.context_digest };
const tokens = [];
const addToken = (name, value, valid, { expect = expected, now = at, own: mine = true } = {}) =>
  tokens.push({ name, token: value, options: { ...expect, now }, valid,
    ...(mine ? { jwks: keys(tokenKey, later) } : {}) });
addToken('recorded', token.token, true, { own: false });
addToken('recorded, the digest alone is expected', token.token, true,
  { own: false, expect: { context_digest: claims.context_digest } });
addToken('recorded, the last second', token.token, true, { now: claims.exp - 1, own: false });
addToken('expired', token.token, false, { now: claims.exp, own: false });
addToken('issued in the future', token.token, false, { now: claims.iat - 60, own: false });
for (const name of Object.keys(expected))
  addToken(`another ${name}`, token.token, false, { expect: { ...expected, [name]: 'x' }, own: false });
addToken('signed again', jwt(ownHead, claims, tokenKey), true);
addToken('lives longer than 30 seconds', jwt(ownHead, { ...claims, exp: claims.iat + 31 }, tokenKey), false);
addToken('no exp', jwt(ownHead, { ...claims, exp: undefined }, tokenKey), false);
addToken('exp is not a number', jwt(ownHead, { ...claims, exp: String(claims.exp) }, tokenKey), false);
addToken('allow is false', jwt(ownHead, { ...claims, allow: false }, tokenKey), false);
addToken('allow is "true"', jwt(ownHead, { ...claims, allow: 'true' }, tokenKey), false);
addToken('no context_digest', jwt(ownHead, { ...claims, context_digest: undefined }, tokenKey), false);
addToken('typ is JWT', jwt({ ...ownHead, typ: 'JWT' }, claims, tokenKey), false);
addToken('alg is none', `${part({ ...ownHead, alg: 'none' })}.${part(claims)}.`, false);
addToken('alg is HS256', jwt({ ...ownHead, alg: 'HS256' }, claims, tokenKey), false);
addToken('crit is not understood', jwt({ ...ownHead, crit: ['x'], x: 1 }, claims, tokenKey), false);
addToken('audience is a list', jwt(ownHead, { ...claims, aud: [claims.aud] }, tokenKey), false);
addToken('key of another purpose', jwt({ ...head, kid: later.jwk.kid }, claims, later), false);
addToken('unknown kid', jwt({ ...head, kid: 'oap:registry:decision_token-1' }, claims, tokenKey), false);
addToken('wrong key', jwt(head, claims, tokenKey), false);
addToken('claims changed', token.token.replace(/\.[^.]+\./, `.${part({ ...claims, sub: 'ap_x' })}.`),
  false, { expect: { context_digest: claims.context_digest }, own: false });
addToken('signature cut', token.token.slice(0, -1), false, { own: false });
addToken('four parts', token.token + '.x', false, { own: false });
addToken('padding', token.token + '==', false, { own: false });
addToken('empty', '', false, { own: false });
addToken('not a token', 'x.y.z', false, { own: false });
save('tokens.json', { about: 'verifyToken(token, jwks, options) accepts the token if it is `valid`.', jwks, cases: tokens });

// Receipts.
const receipts = [];
const addReceipt = (name, given, valid, set) =>
  receipts.push({ name, ...given, valid, ...(set ? { jwks: set } : {}) });
const good = { decision: plain, record, proof };
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
/** A line of a signed note (https://c2sp.org/signed-note). */
const noteLine = (origin, key_, bytes) => {
  const id_ = sha256(Buffer.from(`${origin}\n\x01`), key_).subarray(0, 4);
  return `\u2014 ${origin} ${Buffer.concat([id_, bytes]).toString('base64')}\n`;
};
addReceipt('decision, record and proof as JSON', good, true);
addReceipt('record and proof', { record, proof }, true);
addReceipt('record of a decision without proof', { record }, false);
addReceipt('decision of another record', { ...good, decision: answers.deny.decision }, false);
addReceipt('record of another decision', { ...good, record: otherRecord }, false);
addReceipt('record changed', { ...good, record: { ...record, details: {} } }, false);
addReceipt('record changed beside its body', { ...good, record: { ...record, allow: false } }, false);
addReceipt('salt changed', { ...good, record: { ...record, salt: '0'.repeat(32) } }, false);
addReceipt('no salt', { ...good, record: { ...record, salt: undefined } }, false);
addReceipt('index changed', { ...good, proof: { ...proof, index: proof.index - 1 } }, false);
addReceipt('index is negative', { ...good, proof: { ...proof, index: -1 } }, false);
addReceipt('tree_size changed', { ...good, proof: { ...proof, tree_size: proof.tree_size + 1 } }, false);
addReceipt('leaf_hash changed', { ...good, proof: { ...proof, leaf_hash: '0'.repeat(64) } }, false);
addReceipt('path is cut', { ...good, proof: { ...proof, inclusion_path: proof.inclusion_path.slice(1) } }, false);
addReceipt('path is longer', { ...good,
  proof: { ...proof, inclusion_path: [...proof.inclusion_path, '0'.repeat(64)] } }, false);
addReceipt('path has a short hash', { ...good,
  proof: { ...proof, inclusion_path: ['00', ...proof.inclusion_path.slice(1)] } }, false);
addReceipt('path has more than a hash', { ...good,
  proof: { ...proof, inclusion_path: [`${proof.inclusion_path[0]}zz`, ...proof.inclusion_path.slice(1)] } }, false);
addReceipt('no tree_size', { ...good, proof: { ...proof, tree_size: undefined } }, false);
addReceipt('no leaf_hash', { ...good, proof: { ...proof, leaf_hash: undefined } }, false);
addReceipt('salt in capitals', { ...good, record: { ...record, salt: record.salt.toUpperCase() } }, false);
addReceipt('decision with 1 for true', { ...good, decision: { ...plain, allow: 1 } }, false);
addReceipt('checkpoint: no line break at its end', { ...good,
  proof: { ...proof, checkpoint: proof.checkpoint.trimEnd() } }, false);
addReceipt('checkpoint: root changed', { ...good, proof: { ...proof,
  checkpoint: proof.checkpoint.replace(/\n[A-Za-z0-9+/]{43}=\n/, `\n${'A'.repeat(43)}=\n`) } }, false);
addReceipt('checkpoint: size changed', { ...good, proof: { ...proof, tree_size: proof.tree_size + 1,
  checkpoint: proof.checkpoint.replace(`\n${proof.tree_size}\n`, `\n${proof.tree_size + 1}\n`) } }, false);
addReceipt('checkpoint: no signature', { ...good,
  proof: { ...proof, checkpoint: proof.checkpoint.split('\n\n')[0] + '\n\n' } }, false);
addReceipt('checkpoint: key unknown', good, false,
  { keys: jwks.keys.filter((k) => !k.kid.startsWith('oap:registry:checkpoint-')) });
addReceipt('decision: key unknown', good, false,
  { keys: jwks.keys.filter((k) => !k.kid.startsWith('oap:registry:decision-')) });
{ // A line that anyone can write for a key of small order is like that of an unknown key.
  const weak = Buffer.from(`01${'00'.repeat(31)}`, 'hex');
  const [origin] = proof.checkpoint.split('\n');
  addReceipt('checkpoint: a line of a key of small order does not count', { ...good, proof: { ...proof,
    checkpoint: proof.checkpoint + noteLine(origin, weak, Buffer.concat([weak, Buffer.alloc(32)])) } },
  true, keys({ jwk: { ...checkpointKey.jwk, x: weak.toString('base64url') } }));
}
{ // A log of two records, where the index of the second one is 1.
  const { salt, log_index, ...rest } = record;
  const leaf = sha256(Buffer.of(0), sha256(Buffer.from(salt, 'hex'), sha256(Buffer.from(canonical(rest)))));
  const first = sha256(Buffer.of(0), Buffer.alloc(32));
  const note = `example.com/log\n2\n${sha256(Buffer.of(1), first, leaf).toString('base64')}\n`;
  const line = noteLine('example.com/log', Buffer.from(checkpointKey.jwk.x, 'base64url'),
    sign(null, Buffer.from(note), checkpointKey.private));
  const proof_ = { leaf_hash: leaf.toString('hex'), index: 1, tree_size: 2,
    inclusion_path: [first.toString('hex')], checkpoint: `${note}\n${line}` };
  const second = { ...record, log_index: 1 };
  addReceipt('the second record of two', { record: second, proof: proof_ }, true, keys(checkpointKey));
  addReceipt('log_index is true', { record: { ...second, log_index: true }, proof: proof_ }, false,
    keys(checkpointKey));
  addReceipt('index is true', { record: second, proof: { ...proof_, index: true } }, false, keys(checkpointKey));
}
if (statusRecord) {
  const its = await call('GET', `/api/audit/${statusRecord.record_id}`);
  addReceipt('record of another kind', { record: its,
    proof: await call('GET', `/api/audit/${statusRecord.record_id}/proof`) }, true);
}
addReceipt('record and the proof in the verify answer', { record, proof: tlog }, true);
{ // The proof in the other form, C2SP tlog-proof; its extra data is the salt.
  const text_ = ['c2sp.org/tlog-proof@v1', `extra ${Buffer.from(record.salt, 'hex').toString('base64')}`,
    `index ${proof.index}`, ...proof.inclusion_path.map((h) => Buffer.from(h, 'hex').toString('base64')),
    '', proof.checkpoint].join('\n');
  addReceipt('proof as C2SP tlog-proof', { ...good, proof: text_ }, true);
  addReceipt('proof as C2SP tlog-proof: another salt', { ...good,
    proof: text_.replace(/extra .*/, `extra ${'A'.repeat(22)}==`) }, false);
  addReceipt('proof as C2SP tlog-proof: another version', { ...good,
    proof: text_.replace('@v1', '@v2') }, false);
  addReceipt('proof as C2SP tlog-proof: no salt', { ...good, proof: text_.replace(/extra .*\n/, '') }, false);
  addReceipt('proof as C2SP tlog-proof: index with a sign', { ...good,
    proof: text_.replace('index ', 'index +') }, false);
  addReceipt('proof as C2SP tlog-proof: text after it', { ...good, proof: `${text_}x` }, false);
  addReceipt('proof as C2SP tlog-proof: a checkpoint of one line', { ...good,
    proof: text_.replace(/\n\n[^]*/, '\n\nx') }, false);
}
save('receipts.json', { about: 'verifyReceipt({decision?, record, proof}, jwks) is `valid`.', jwks, cases: receipts });
console.log(`${cases.length} signatures, ${tokens.length} tokens, ${receipts.length} receipts`);
