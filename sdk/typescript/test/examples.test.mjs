// Runs every program of examples/typescript against the running service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Safeconduct } from '@safeconduct/client';

const folder = fileURLToPath(new URL('../examples/', import.meta.url));
const programs = readdirSync(folder).filter((name) => name.endsWith('.mjs'));

const capabilities = ['system.command.execute', 'data.file.read', 'mcp.tool.execute'].map((id) => ({ id }));

describe('examples', { skip: process.env.SAFECONDUCT_URL ? false : 'no SAFECONDUCT_URL' }, () => {
  let agentId;
  before(async () => {
    const issued = await new Safeconduct({ timeoutMs: 10_000 }).issue({
      name: 'Examples', description: 'An agent of the examples.', capabilities,
      limits: {
        'system.command.execute': { allowed_commands: ['echo'] },
        'data.file.read': { allowed_paths: ['/reports/**'] },
        'mcp.tool.execute': { allowed_servers: ['https://notes.example/mcp'], allowed_tools: ['read_note'],
          max_calls_per_minute: 10 },
      } });
    agentId = issued.agent_id;
  });

  for (const name of programs) {
    test(name, async () => {
      assert.ok(readFileSync(folder + name, 'utf8').split('\n').length <= 31, 'more than 30 lines');
      const { stdout } = await promisify(execFile)(process.execPath, [folder + name], {
        env: { ...process.env, SAFECONDUCT_AGENT_ID: agentId }, timeout: 60_000 });
      const lines = stdout.trimEnd().split('\n');
      assert.equal(lines.length, 2, stdout);
      assert.match(lines[0], /^allowed:/);
      assert.match(lines[1], /^denied:.*oap\.\w+/);
    });
  }
});
