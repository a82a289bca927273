// The trial of e2e/mcp-gateway. Each step prints a line; the first that is not as it must be ends the trial.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [root, files, work] = process.argv.slice(2);
const modules = createRequire(path.join(root, 'target/mcp-user/package.json'));
const load = (name) => import(pathToFileURL(modules.resolve(name)));
const { Client } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
const { chromium } = await load('playwright-core').then((all) => all.default ?? all);

const { SAFECONDUCT_URL: service, SAFECONDUCT_API_KEY: key, ADMIN_TOKEN, OWNER_LINK } = process.env;
const project = path.join(files, 'project');
const server = [process.execPath, modules.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), files];
const step = (text) => console.log(`ok  ${text}`);

async function api(method, target, body) {
  const response = await fetch(service + target, {
    method,
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  assert.ok(response.ok, `${method} ${target}: ${JSON.stringify(answer)}`);
  return answer;
}

// The owner's part: a pack that needs approval, a passport, and which arguments which policy reads.
const [{ org_id: org }] = (await api('GET', '/api/orgs')).orgs;
const pack = JSON.parse(fs.readFileSync(path.join(root, 'e2e/mcp-user/files.move.json'), 'utf8'));
await api('POST', `/api/orgs/${org}/policies`, pack);
await api('POST', `/api/orgs/${org}/policies/${pack.policy_id}/activate`, {});
const { agent_id: agent } = await api('POST', '/api/passports', {
  name: 'Project assistant',
  capabilities: ['mcp.tool.execute', 'data.file.read', 'data.file.write', 'files.move'].map((id) => ({ id })),
  limits: {
    'mcp.tool.execute': {
      allowed_servers: ['mcp:files'],
      allowed_tools: ['read_text_file', 'list_directory', 'write_file', 'move_file'],
      max_calls_per_minute: 60,
    },
    'data.file.read': { allowed_paths: [`${project}/**`], max_file_size_mb: 1 },
    'data.file.write': { allowed_paths: [`${project}/**`], allowed_extensions: ['txt'] },
    'files.move': { allowed_targets: [`${project}/`], approval_required: true },
  },
});
const config = path.join(work, 'gateway.yaml');
fs.writeFileSync(config, `
servers:
  files:
    command: ${JSON.stringify(server)}
    tools:
      read_text_file:
        - policy: data.file.read.v1
          context: { file_path: $arguments.path }
      write_file:
        - policy: data.file.write.v1
          context: { file_path: $arguments.path, content: $arguments.content }
      move_file:
        - policy: files.move.v1
          context: { source: $arguments.source, destination: $arguments.destination }
`);

async function connect(...command) {
  const client = new Client({ name: 'trial', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StdioClientTransport({
      command: command[0],
      args: command.slice(1),
      env: { ...process.env, SAFECONDUCT_AGENT_ID: agent },
      stderr: 'inherit',
    }),
  );
  return client;
}
const call = (client, name, args) => client.callTool({ name, arguments: args });
const text = (result) => result.content.map((part) => part.text).join('\n');
const decision = (result) => result._meta?.['safeconduct/decision_id'];

const direct = await connect(...server);
const all = (await direct.listTools()).tools.map((tool) => tool.name);
await direct.close();

const client = await connect(
  path.join(root, 'bin/safeconduct'), 'mcp-gateway', '--server', 'files', '--config', config, '--', ...server);
const seen = (await client.listTools()).tools.map((tool) => tool.name).sort();
assert.deepEqual(seen, ['list_directory', 'move_file', 'read_text_file', 'write_file']);
step(`the server has ${all.length} tools, the agent sees ${seen.length}`);

const plan = path.join(project, 'plan.txt');
const read = await call(client, 'read_text_file', { path: plan });
assert.ok(!read.isError, text(read));
assert.match(text(read), /The plan of the project/);
assert.ok(decision(read));
step('a read in the project is allowed');

const hidden = await call(client, 'create_directory', { path: path.join(project, 'x') }).catch((e) => e);
assert.ok(hidden instanceof Error || hidden.isError, JSON.stringify(hidden));
assert.ok(!fs.existsSync(path.join(project, 'x')));
step('a tool that is not in the list cannot be called');

// The file server itself would write here: the folder is one of its own.
const outside = path.join(files, 'outside.txt');
const denied = await call(client, 'write_file', { path: outside, content: 'x' });
assert.ok(denied.isError);
assert.equal(denied._meta['safeconduct/code'], 'oap.path_not_allowed');
assert.ok(decision(denied));
assert.ok(!fs.existsSync(outside));
step('a write outside of the project is denied');

const written = await call(client, 'write_file', { path: path.join(project, 'notes.txt'), content: 'Notes.' });
assert.ok(!written.isError, text(written));
assert.equal(fs.readFileSync(path.join(project, 'notes.txt'), 'utf8'), 'Notes.');
step('a write in the project is allowed');

const move = { source: plan, destination: path.join(project, 'done.txt') };
const asked = await call(client, 'move_file', move);
assert.ok(asked.isError);
assert.equal(asked._meta['safeconduct/code'], 'oap.approval_required');
const { link } = asked._meta['safeconduct/approval'];
assert.ok(text(asked).includes(link) && link.startsWith(`${service}/console/approvals/apr_`), text(asked));
assert.ok(fs.existsSync(plan));
step('a move waits for the owner, and the answer has the link');

const browser = await chromium.launch({
  executablePath: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(fs.existsSync),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const page = await browser.newPage({ viewport: { width: 1020, height: 620 }, locale: 'en-GB', timezoneId: 'UTC' });
const picture = async (name) => {
  if (process.env.PICTURES) {
    await page.locator('main').screenshot({ path: path.join(process.env.PICTURES, `${name}.png`) });
  }
};
try {
  const send = async (form) => {
    await Promise.all([page.waitForNavigation(), page.click(`${form} button`)]);
    assert.ok(page.url().startsWith(service), page.url());
  };
  const password = 'correct horse battery';
  await page.goto(OWNER_LINK);
  await page.fill('[name=email]', 'owner@example.com');
  await page.fill('[name=password]', password);
  await send('form[method=post]');
  // The link leads a signed-out person to the page by way of the sign-in.
  await page.goto(link);
  await page.fill('[name=email]', 'owner@example.com');
  await page.fill('[name=password]', password);
  await send('form[action="/console/sign-in"]');
  assert.equal(page.url(), link);
  await picture('gateway-approval');
  await send('form[action$="/approve"]');
  step('the owner approves it in the console');

  const moved = await call(client, 'move_file', move);
  assert.ok(!moved.isError, text(moved));
  assert.ok(fs.existsSync(move.destination) && !fs.existsSync(plan));
  step('the same call is allowed now');
  fs.renameSync(move.destination, plan);
  const again = await call(client, 'move_file', move);
  assert.ok(again.isError && fs.existsSync(plan));
  step('and waits for the owner again the next time');

  for (const result of [read, denied, written, asked, moved]) {
    const record = await api('GET', `/api/audit/${decision(result)}`);
    assert.equal(record.kind, 'decision');
    assert.equal(record.agent_id, agent);
    assert.equal(record.allow, !result.isError);
    assert.ok(record.signature && (await api('GET', `/api/audit/${decision(result)}/proof`)).checkpoint);
  }
  step('each call has a signed decision in the log, with a proof');
  await page.goto(`${service}/console/decisions/${decision(denied)}`);
  await picture('gateway-denied');

  await api('POST', '/api/admin/status', { agent_id: agent, status: 'suspended' });
  const after = await call(client, 'read_text_file', { path: plan }).catch((e) => e);
  assert.ok(after instanceof Error || after.isError, text(after));
  step('a suspended agent reads nothing more');
} finally {
  await browser.close();
  await client.close();
}
