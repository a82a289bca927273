// What adapters do without a service, with unknown tools and with odd arguments: nothing runs.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import express from 'express';
import Fastify from 'fastify';
import { ToolMessage } from '@langchain/core/messages';
import { ActionDenied, Safeconduct } from '@safeconduct/client';
import { guardTools } from '@safeconduct/client/ai';
import { safeconduct as claude } from '@safeconduct/client/claude-agent';
import { codingTools } from '@safeconduct/client/coding';
import { safeconduct as onExpress } from '@safeconduct/client/express';
import { safeconduct as onFastify } from '@safeconduct/client/fastify';
import { safeconduct as langchain } from '@safeconduct/client/langchain';
import { protect } from '@safeconduct/client/mcp';
import { safeconduct as openaiAgents } from '@safeconduct/client/openai-agents';
import { safeconduct as openclaw } from '@safeconduct/client/openclaw';
import { safeconduct as opencode } from '@safeconduct/client/opencode';
import { ToolGuard } from '@safeconduct/client/tools';
import { play, recorded } from './script-server.mjs';

const closed = createServer();
closed.listen(0, '127.0.0.1');
await once(closed, 'listening');
const baseUrl = `http://127.0.0.1:${closed.address().port}`;
await new Promise((resolve) => closed.close(resolve));

const client = new Safeconduct({ baseUrl, apiKey: 'sck_test', agentId: 'ap_1' });
const shell = ({ command }) => ({ policy: 'system.command.execute.v1', context: { command } });
const cases = {
  'no service': { tools: { shell }, code: 'client.unavailable' },
  'an unknown tool': { tools: {}, code: 'client.unknown_tool' },
  'a tool named as a member of every object': { tools: {}, name: 'constructor', code: 'client.unknown_tool' },
  'a mapping that throws': { tools: () => { throw new Error('x'); }, code: 'client.invalid_arguments' },
  'a mapping without a policy': { tools: () => ({ context: {} }), code: 'client.invalid_arguments' },
  'a mapping to nothing': { tools: () => [], code: 'client.unknown_tool' },
  'a mapping to a list of nothing': { tools: () => [undefined], code: 'client.invalid_arguments' },
  'a mapping to null': { tools: () => null, code: 'client.invalid_arguments' },
  'a mapping to true': { tools: () => true, code: 'client.invalid_arguments' },
  'a mapping to a promise': { tools: async () => shell({ command: 'ls' }), code: 'client.invalid_arguments' },
  'arguments without the field': { tools: { shell }, args: {}, code: 'client.unavailable' },
  'arguments that are null': { tools: { shell }, args: null, code: 'client.invalid_arguments' },
};

for (const [about, { tools, code, name = 'shell', args = { command: 'ls' } }] of Object.entries(cases)) {
  describe(about, () => {
    const options = { client, tools };
    let ran = false;
    const run = () => { ran = true; };

    test('tools', async () => {
      await assert.rejects(new ToolGuard(options).run({ name, args }, run), (e) => e instanceof ActionDenied && e.code === code);
      assert.equal((await new ToolGuard(options).deny({ name, args })).code, code);
      assert.equal(ran, false);
    });
    test('LangChain', async () => {
      const message = await langchain({ ...options, ToolMessage })
        .wrapToolCall({ toolCall: { name, args, id: 'a' } }, run);
      assert.deepEqual([ran, message.status, message.tool_call_id], [false, 'error', 'a']);
      assert.ok(message.content.includes(code));
    });
    test('OpenAI Agents', async () => {
      const { behavior } = await openaiAgents(options).run({ toolCall: { name, arguments: JSON.stringify(args) } });
      assert.equal(behavior.type, 'rejectContent');
    });
    test('Vercel AI', async () => {
      const guarded = guardTools({ [name]: { execute: run } }, options);
      await assert.rejects(async () => guarded[name].execute(args, {}), ActionDenied);
      const streamed = guardTools({ [name]: { async* execute() { run(); yield 1; } } }, options);
      await assert.rejects(async () => { for await (const _ of streamed[name].execute(args, {})); }, ActionDenied);
      assert.equal(ran, false);
    });
    test('Claude Agent SDK', async () => {
      const [entry] = claude(options).PreToolUse;
      assert.equal(entry.onFailure, 'block');
      const answer = await entry.hooks[0]({ hook_event_name: 'PreToolUse', tool_name: name, tool_input: args });
      assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
      assert.ok(answer.hookSpecificOutput.permissionDecisionReason.includes(code));
    });
    test('OpenCode', async () => {
      const hooks = await opencode(options)({});
      await assert.rejects(hooks['tool.execute.before']({ tool: name }, { args }), Error);
    });
    test('OpenClaw', async () => {
      let handler;
      openclaw(options).register({ on: (_, each) => (handler = each) });
      assert.equal((await handler({ toolName: name, params: args }, {})).block, true);
    });
  });
}

test('Claude Agent SDK: an odd input is denied', async () => {
  for (const input of [undefined, null, {}, { hook_event_name: 'x', tool_name: Symbol('x') }]) {
    const answer = await claude({ client }).PreToolUse[0].hooks[0](input);
    assert.equal(answer.hookSpecificOutput.permissionDecision, 'deny');
  }
  assert.equal((await new ToolGuard({ client, tools: {} }).deny({ name: Symbol('x') })).code, 'client.unknown_tool');
});

test('OpenClaw: what tool_call calls is asked for by its own name', async () => {
  let handler;
  openclaw({ client, servers: { trial: 'mcp:trial' } }).register({ on: (_, each) => (handler = each) });
  assert.equal(await handler({ toolName: 'tool_call', params: { id: 'trial__note', args: {} } }, {}), undefined);
  const reason = async (toolName) => (await handler({ toolName, params: {} }, {})).blockReason;
  assert.match(await reason('trial__note'), /client\.unavailable/);
  assert.match(await reason('other__note'), /client\.unknown_tool/);
});

test('OpenAI Agents: arguments that are not JSON', async () => {
  const { behavior } = await openaiAgents({ client, tools: () => 'none' }).run({ toolCall: { name: 'x', arguments: '{' } });
  assert.equal(behavior.type, 'rejectContent');
});

test('a tool that needs no decision runs', async () => {
  const guard = new ToolGuard({ client, tools: { think: 'none' } });
  assert.equal(await guard.run({ name: 'think', args: {} }, () => 3), 3);
  assert.equal(await guard.deny({ name: 'think', args: {} }), undefined);
});

test('Vercel AI: the last output of a generator that another function returns', async () => {
  async function* outputs() { yield 'half'; yield 'all'; }
  const guarded = guardTools({ think: { execute: () => outputs() } }, { client, tools: { think: 'none' } });
  assert.equal(await guarded.think.execute({}, {}), 'all');
});

test('all actions of a call must be allowed', async () => {
  const server = await play({ server: [{ answer: 'allow' }, { answer: 'deny' }] });
  const sc = new Safeconduct({ baseUrl: server.url, apiKey: 'sck_test', timeoutMs: 20_000 });
  const tools = () => ['allow', 'deny'].map((name) => {
    const { agent_id, policy, context } = recorded.questions[name];
    return { agentId: agent_id, policy, context };
  });
  let ran = false;
  await assert.rejects(new ToolGuard({ client: sc, tools }).run({ name: 'x' }, () => (ran = true)), ActionDenied);
  assert.deepEqual([ran, server.received.length], [false, 2]);
  await server.stop();
});

test('MCP: every way to add a tool is guarded', async () => {
  const ran = [];
  const callback = (name) => async () => { ran.push(name); return { content: [] }; };
  const mcp = protect(new McpServer({ name: 's', version: '1' }), { client, server: 'https://s.example' });
  mcp.registerTool('first', {}, callback('first'));
  const second = mcp.tool('second', callback('second'));
  second.update({ callback: callback('updated') });
  const low = protect(new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } }), { client, server: 'https://s.example' });
  low.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));
  low.setRequestHandler(CallToolRequestSchema, callback('low'));
  for (const server of [mcp, low]) {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const agent = new Client({ name: 'a', version: '1' });
    await Promise.all([server.connect(far), agent.connect(near)]);
    for (const name of ['first', 'second', 'absent']) {
      const result = await agent.callTool({ name, arguments: {} });
      assert.equal(result.isError, true);
      assert.ok(result.content[0].text.includes('client.unavailable'));
    }
    await agent.listTools();
    await agent.close();
  }
  assert.deepEqual(ran, []);
});

test('MCP: a server that has tools already is refused', () => {
  const mcp = new McpServer({ name: 's', version: '1' });
  mcp.registerTool('first', {}, async () => ({ content: [] }));
  assert.throws(() => protect(mcp, { client, server: 'https://s.example' }));
});

const web = { client, policy: 'data.file.read.v1', context: () => ({ file_path: '/a' }) };
const requests = [
  ['no agent', {}, {}, 401, 'client.agent_missing'],
  ['no service', { 'X-Agent-Passport-Id': 'ap_1' }, {}, 503, 'client.unavailable'],
  ['a token is required', { 'X-Agent-Passport-Id': 'ap_1' }, { requireToken: true }, 401, 'client.token_missing'],
  ['a token that cannot be checked', { 'Safeconduct-Token': 'x.y.z' }, {}, 503, 'client.unavailable'],
  ['a context that throws', { 'X-Agent-Passport-Id': 'ap_1' }, { context: () => { throw new Error('x'); } }, 503, 'client.unavailable'],
];
for (const [about, headers, more, status, code] of requests) {
  test(`web: ${about}`, async () => {
    let ran = false;
    const app = express();
    app.get('/', onExpress({ ...web, ...more }), (_, response) => { ran = true; response.send('ran'); });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const fastify = Fastify();
    fastify.get('/', { preHandler: onFastify({ ...web, ...more }) }, async () => { ran = true; return 'ran'; });
    const address = await fastify.listen({ port: 0, host: '127.0.0.1' });
    for (const url of [`http://127.0.0.1:${server.address().port}`, address]) {
      const answer = await fetch(url, { headers });
      assert.equal(answer.headers.get('content-type').split(';')[0], 'application/problem+json');
      const body = await answer.json();
      assert.deepEqual([answer.status, body.code, ran], [status, code, false]);
      assert.doesNotMatch(body.detail, /127\.0\.0\.1/);
    }
    server.closeAllConnections();
    server.close();
    await fastify.close();
  });
}

test('web: a decision token is checked offline, for its context only', { skip: process.env.SAFECONDUCT_URL ? false : 'no SAFECONDUCT_URL' }, async () => {
  const sc = new Safeconduct({ timeoutMs: 10_000 });
  const { agent_id: agentId } = await sc.issue({ name: 'Caller', description: 'An agent of a test.',
    capabilities: [{ id: 'data.file.read' }], limits: { 'data.file.read': { allowed_paths: ['/reports/**'] } } });
  const context = { file_path: '/reports/october' };
  const { token } = await sc.token({ agentId, policy: 'data.file.read.v1', context });
  const ask = async (file_path, headers = {}) => {
    const request = { headers: { 'safeconduct-token': token, ...headers } };
    const reply = { status: (code) => (reply.code = code, reply), type: () => reply, send: () => reply };
    let passed = false;
    await onExpress({ client: sc, policy: 'data.file.read.v1', requireToken: true, context: () => ({ file_path }) })(
      request, reply, () => (passed = true));
    return passed ? request.safeconduct.agentId : reply.code;
  };
  assert.equal(await ask('/reports/october'), agentId);
  assert.equal(await ask('/reports/november'), 403);
  assert.equal(await ask('/reports/october', { 'x-agent-passport-id': 'ap_other' }), 403);
});

describe('tools of coding agents', () => {
  const tools = codingTools({ cwd: '/srv/app', servers: { github: 'https://github.example/mcp', a: 'https://a', a__b: 'https://b' } });
  const list = (name, args) => [tools({ name, args })].flat().map((each) =>
    each === undefined ? undefined : each === 'none' ? 'none' : [each.policy, each.context]);
  const file = 'data.file.read.v1';
  const expected = [
    ['Bash', { command: 'ls', timeout: 1500 }, [['system.command.execute.v1', { command: 'ls', cwd: '/srv/app', timeout: 2 }]]],
    ['exec', { command: 'ls', workdir: '/srv', env: { A: '1' }, timeout: 9 },
      [['system.command.execute.v1', { command: 'ls', cwd: '/srv', env: { A: '1' }, timeout: 9 }]]],
    ['Read', { file_path: '../x' }, [[file, { file_path: '/srv/x' }]]],
    ['read', { filePath: '/etc/passwd' }, [[file, { file_path: '/etc/passwd' }]]],
    ['Glob', { pattern: '/etc/*' }, [[file, { file_path: '/srv/app' }], [file, { file_path: '/etc' }]]],
    ['Glob', { pattern: '../*', path: 'src' }, [[file, { file_path: '/srv/app/src' }], [file, { file_path: '/srv/app' }]]],
    ['Write', { file_path: 'a', content: 'x' }, [['data.file.write.v1', { file_path: '/srv/app/a', content: 'x' }]]],
    ['Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, [['data.file.write.v1', { file_path: '/srv/app/a' }]]],
    ['WebFetch', { url: 'https://a.example', prompt: 'x' }, [['web.fetch.v1', { url: 'https://a.example', method: 'GET' }]]],
    ['mcp__github__merge', { pr: 1 }, [['mcp.tool.execute.v1', { server: 'https://github.example/mcp', tool: 'merge', parameters: { pr: 1 } }]]],
    ['mcp__a__b__c', {}, [undefined]],
    ['mcp__other__x', {}, [undefined]],
    ['Skill', {}, [undefined]],
    ['TodoWrite', {}, ['none']],
  ];
  for (const [name, args, actions] of expected) {
    test(`${name} ${JSON.stringify(args)}`, () => assert.deepEqual(list(name, args), actions));
  }
  for (const [name, args] of [['Bash', {}], ['Read', {}], ['Read', { file_path: '/srv/app/a', filePath: '/etc/passwd' }],
    ['NotebookEdit', { file_path: 'a', notebook_path: 'b' }], ['exec', { command: 'ls', cwd: '/a', workdir: '/b' }], ['Glob', { pattern: '{a,../../etc}/*' }], ['WebFetch', { url: 7 }]]) {
    test(`${name} ${JSON.stringify(args)} is refused`, () => assert.throws(() => tools({ name, args }), TypeError));
  }
});
