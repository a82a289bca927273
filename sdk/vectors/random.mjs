// Asks a running service for N random decisions: node random.mjs BASE_URL KEY N FOLDER [SEED]
// The questions are those of the built-in packs' cases, with other texts, numbers and agents in them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [base, key, count, folder, seed = '1'] = process.argv.slice(2);
const policies = fileURLToPath(new URL('../../policies/', import.meta.url));
let state = Number(seed) >>> 0 || 1;
function random(below) { // mulberry32
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
}
const one = (list) => list[random(list.length)];
const pieces = ['a', 'Z', '0', ' ', '"', '\\', '/', '\n', '\t', '\u0001', '\u007f', 'é', 'e\u0301', 'ß', '€', '\u2028',
  '中', '\u{1F600}', '\u{10FFFF}', '\ufeff', '<', '&', "'", '{', '\u202e', 'ﬃ', '$(', ';', '-'];
const text = () => Array.from({ length: random(12) }, () => one(pieces)).join('');
const number = () => one([0, -0, 1, -1, 1.5, 1e21, 1e-7, 2 ** 53, random(1e6), random(1e6) / 97, -random(1e9)]);
const any = () => one([text, number, () => null, () => true, () => [text(), number()], () => ({ [text()]: text() })])();

const questions = readdirSync(policies).flatMap((pack) =>
  readdirSync(join(policies, pack, 'cases')).flatMap((file) =>
    JSON.parse(readFileSync(join(policies, pack, 'cases', file), 'utf8')).flatMap((each) =>
      (each.steps ?? []).filter((step) => JSON.stringify(step.context).length < 2000).map((step) => ({
        policy_id: pack, passport: each.passport, context: step.context })))));

function question() {
  const { policy_id, passport, context } = structuredClone(one(questions));
  const names = Object.keys(context);
  for (let i = random(3); i > 0; i--) context[random(2) && names.length ? one(names) : text()] = any();
  return { policy_id, context, passport: { ...passport, agent_id: `ap_${random(1e9)}${text()}` } };
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"{}[]:,. -_';
function changed(line) {
  const bytes = Buffer.from(line);
  const index = /"log_index":\d+/.exec(line);
  const start = Buffer.byteLength(line.slice(0, index.index)) + '"log_index":'.length;
  const end = start + index[0].length - '"log_index":'.length;
  for (;;) {
    const at = random(bytes.length);
    const byte = digits.charCodeAt(random(digits.length));
    if ((at >= start && at < end) || bytes[at] === byte) continue;
    // A byte inside a character of several bytes would not be text: change its text elsewhere.
    if (bytes[at] >= 0x80) continue;
    bytes[at] = byte;
    return bytes.toString();
  }
}

mkdirSync(folder, { recursive: true });
const good = [];
while (good.length < Number(count)) {
  const evaluations = Array.from({ length: Math.min(100, count - good.length) }, question);
  const answer = await fetch(`${base}/api/verify/batch`, { method: 'POST', body: JSON.stringify({ evaluations }),
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', Prefer: 'return=minimal' } });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  for (const each of (await answer.json()).decisions) if (each.signature) good.push(JSON.stringify(each));
}
const keys = await (await fetch(`${base}/jwks.json`)).text();
writeFileSync(join(folder, 'decisions.ndjson'), good.join('\n') + '\n');
writeFileSync(join(folder, 'changed.ndjson'), good.map(changed).join('\n') + '\n');
writeFileSync(join(folder, 'jwks.json'), keys);
const allows = good.filter((line) => line.includes('"allow":true')).length;
console.log(`${good.length} decisions, ${allows} allow, seed ${seed}`);
