import { createHash } from 'node:crypto';
import { signedObject, verifyDecision } from './decision.js';
import { canonicalize, isObject, type JsonObject } from './json.js';
import { base64, Keys, type JsonWebKeySet } from './keys.js';

/** A record of the log with the proof that it is there, and the decision it is about. */
export interface Receipt {
  /** The verify answer; by default the one in the record. */
  readonly decision?: unknown;
  /** The answer of `GET /api/audit/{record_id}`. */
  readonly record: unknown;
  /** The answer of `GET /api/audit/{record_id}/proof`, or the `proof` of a verify answer. */
  readonly proof: unknown;
}

interface Proof {
  index: number;
  path: Buffer[];
  checkpoint: string;
  /** Absent in the text form only. */
  size?: number;
  leaf?: string;
}

/** Members of a decision, with their names in its record. */
const IN_RECORD = {
  decision_id: 'record_id',
  owner_id: 'org_id',
  issued_at: 'at',
  agent_id: 'agent_id',
  policy_id: 'policy_id',
  allow: 'allow',
} as const;

const NODE_BYTES = 32;

/** Whether the record is in the log that the service's key signed, and is the decision's. */
export function verifyReceipt(receipt: Receipt, jwks: JsonWebKeySet | Keys): boolean {
  try {
    const keys = jwks instanceof Keys ? jwks : new Keys(jwks);
    const { record } = receipt;
    if (!isObject(record)) return false;
    const proof = readProof(receipt.proof, record['salt']);
    if (proof === undefined) return false;
    const { decision } = receipt;
    if (record['kind'] === 'decision' ? !recordHolds(record, keys) : decision !== undefined) return false;
    if (decision !== undefined && !isOf(decision, record, keys)) return false;
    const leaf = leafOf(record);
    const root = signedRoot(proof.checkpoint, keys);
    return (
      leaf !== undefined &&
      root !== undefined &&
      record['log_index'] === proof.index &&
      (proof.size ?? root.size) === root.size &&
      (proof.leaf ?? leaf.toString('hex')) === leaf.toString('hex') &&
      includes(leaf, proof.index, root.size, proof.path, root.hash)
    );
  } catch {
    return false;
  }
}

/** The body of a decision's record is the signed decision; the members around it repeat parts. */
function recordHolds(record: JsonObject, keys: Keys): boolean {
  const { body } = record;
  if (!isObject(body)) return false;
  const repeats = Object.entries(IN_RECORD).every(
    ([inBody, inRecord]) => (record[inRecord] ?? NaN) === body[inBody],
  );
  return repeats && verifyDecision({ ...body, signature: record['signature'] }, keys);
}

function isOf(decision: unknown, record: JsonObject, keys: Keys): boolean {
  const signed = signedObject(decision);
  if (signed === undefined || !verifyDecision(decision, keys)) return false;
  const { signature: _s, log_index, ...rest } = signed;
  return canonicalize(rest) === canonicalize(record['body']) && log_index === record['log_index'];
}

function sha256(...parts: Array<Buffer | string>): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function leafOf(record: JsonObject): Buffer | undefined {
  const { salt, log_index: _, ...rest } = record;
  if (typeof salt !== 'string' || !/^[0-9a-f]{32}$/.test(salt)) return undefined;
  const entry = sha256(Buffer.from(salt, 'hex'), sha256(canonicalize(rest)));
  return sha256(Buffer.of(0), entry);
}

function readProof(proof: unknown, salt: unknown): Proof | undefined {
  if (typeof proof === 'string') return readTlogProof(proof, String(salt));
  if (!isObject(proof) || !Array.isArray(proof['inclusion_path'])) return undefined;
  const { index, checkpoint, tree_size, leaf_hash } = proof;
  const hashes = proof['inclusion_path'];
  if (
    !Number.isSafeInteger(index) ||
    !Number.isSafeInteger(tree_size) ||
    typeof leaf_hash !== 'string' ||
    typeof checkpoint !== 'string' ||
    !hashes.every((hash) => typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash))
  ) {
    return undefined;
  }
  return {
    index: index as number,
    path: hashes.map((hash) => Buffer.from(hash as string, 'hex')),
    checkpoint,
    size: tree_size as number,
    leaf: leaf_hash,
  };
}

/** Reads the text form, https://c2sp.org/tlog-proof; its extra data is the record's salt. */
function readTlogProof(text: string, salt: string): Proof | undefined {
  const match =
    /^c2sp\.org\/tlog-proof@v1\nextra (\S+)\nindex (\d{1,15})\n((?:\S+\n)*)\n([^]*)$/.exec(text);
  if (match === null) return undefined;
  const [, extra, index, path = '', checkpoint = ''] = match;
  if (extra !== Buffer.from(salt, 'hex').toString('base64')) return undefined;
  const hashes = path.split('\n').slice(0, -1).map((line) => base64(line, 'base64'));
  if (hashes.some((hash) => hash === undefined)) return undefined;
  return { index: Number(index), path: hashes as Buffer[], checkpoint };
}

/** Opens a signed note (https://c2sp.org/signed-note) with a checkpoint (tlog-checkpoint). */
function signedRoot(note: string, keys: Keys): { size: number; hash: Buffer } | undefined {
  const gap = note.indexOf('\n\n');
  const text = note.slice(0, gap + 1);
  const [origin, size = '', root = ''] = text.split('\n');
  const hash = base64(root, 'base64');
  if (gap < 0 || !note.endsWith('\n') || !/^(0|[1-9]\d{0,14})$/.test(size) || hash?.length !== NODE_BYTES) {
    return undefined;
  }
  const known = keys.all('checkpoint').map((key) => ({
    ...key,
    id: sha256(`${origin}\n`, Buffer.of(1), key.bytes).subarray(0, 4),
  }));
  let signed = false;
  for (const line of note.slice(gap + 2).split('\n').slice(0, -1)) {
    const [, name, encoded = ''] = /^\u2014 (.+) ([^ ]*)$/.exec(line) ?? [];
    if (name === undefined) return undefined;
    if (name !== origin) continue; // a witness
    const bytes = base64(encoded, 'base64');
    if (bytes === undefined) return undefined;
    const key = known.find((each) => each.id.equals(bytes.subarray(0, 4)));
    if (key === undefined) continue;
    // One wrong line of a known key makes the whole note wrong.
    if (!key.verify(Buffer.from(text), bytes.subarray(4))) return undefined;
    signed = true;
  }
  return signed ? { size: Number(size), hash } : undefined;
}

/** Whether the path leads from the leaf to the root (RFC 9162 section 2.1.3.2). */
function includes(leaf: Buffer, index: number, size: number, path: Buffer[], root: Buffer): boolean {
  if (index < 0 || index >= size || path.some((node) => node.length !== NODE_BYTES)) return false;
  let [fn, sn] = [BigInt(index), BigInt(size - 1)];
  let node = leaf;
  for (const sibling of path) {
    if (sn === 0n) return false;
    if (fn & 1n || fn === sn) {
      node = sha256(Buffer.of(1), sibling, node);
      while (!(fn & 1n) && fn !== 0n) {
        fn >>= 1n;
        sn >>= 1n;
      }
    } else {
      node = sha256(Buffer.of(1), node, sibling);
    }
    fn >>= 1n;
    sn >>= 1n;
  }
  return sn === 0n && node.equals(root);
}
