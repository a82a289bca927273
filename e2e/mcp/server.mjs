// A conforming MCP server of both eras: what the conformance suites are run against, with and
// without the gateway. What it offers is data (catalog.json); this file is the protocol.
// Usage: node server.mjs PORT [legacy|modern|both]
import {createHmac, randomUUID} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';

const port = Number(process.argv[2]);
const eras = process.argv[3] ?? 'both';
const catalog = JSON.parse(readFileSync(new URL('catalog.json', import.meta.url)));
const MODERN = '2026-07-28';
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26'];
const META = 'io.modelcontextprotocol/';
const IDENTITY = {[META + 'serverInfo']: catalog.server};
const sessions = new Map();
const listeners = new Set();

class Fault extends Error {
  constructor(code, message, status = 200, data) {
    super(message);
    Object.assign(this, {code, status, data});
  }
}

/** Replaces ${name} by the call's argument or the catalogue's bytes. */
function filled(value, args = {}) {
  const text = JSON.stringify(value).replace(/\$\{(\w+)\}/g, (_, name) =>
    JSON.stringify(String(args[name] ?? catalog.bytes[name] ?? '')).slice(1, -1));
  return JSON.parse(text);
}

function inputRequest(ask, args) {
  if (ask.elicit) {
    return {
      method: 'elicitation/create',
      params: {
        mode: 'form', message: String(args?.message ?? 'Please answer'),
        requestedSchema: {type: 'object', properties: ask.elicit},
      },
    };
  }
  if (ask.roots) return {method: 'roots/list', params: {}};
  return {
    method: 'sampling/createMessage',
    params: {
      messages: [{role: 'user', content: {type: 'text', text: filled(ask.sample, args)}}],
      maxTokens: 100,
    },
  };
}

const capabilityOf = ask => ask.elicit ? 'elicitation' : ask.roots ? 'roots' : 'sampling';
const signed = text => text + '.' + createHmac('sha256', 'a key of tests').update(text).digest('hex');

/** The rounds of an input_required answer: null once all the answers are there. */
function inputRequired(spec, params, capabilities) {
  let round = 0;
  if (params.requestState !== undefined) {
    round = Number(params.requestState.split('.')[0]);
    if (signed(String(round)) !== params.requestState) throw new Fault(-32602, 'invalid requestState');
  }
  const wanted = Object.entries(spec.ask)
    .filter(([, ask]) => params.name !== 'test_input_required_result_capabilities' || capabilities[capabilityOf(ask)]);
  const given = params.inputResponses;
  const complete = given && wanted.every(([key]) => given[key] && typeof given[key] === 'object');
  if (complete) round++;
  if (round >= (spec.rounds ?? 1)) return null;
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(wanted.map(([key, ask]) => [key, inputRequest(ask, params.arguments)])),
    ...(spec.state ? {requestState: signed(String(round))} : {}),
  };
}

/** What a tool or prompt asks: by requests in a session, else in the result. */
async function ask(spec, params, context) {
  let answers = params.inputResponses ?? null;
  if (context.ask) {
    answers = {};
    for (let round = 0; round < (spec.rounds ?? 1); round++) {
      for (const [key, each] of Object.entries(spec.ask)) {
        if (!context.capabilities[capabilityOf(each)]) continue;
        answers[key] = await context.ask(inputRequest(each, params.arguments));
      }
    }
  } else {
    const more = inputRequired(spec, params, context.capabilities);
    if (more) return more;
  }
  return {content: [{type: 'text', text: 'state-ok ' + JSON.stringify(answers)}]};
}

async function call(params, context) {
  const spec = catalog.tools[params.name];
  if (!spec) throw new Fault(-32602, 'Unknown tool: ' + params.name);
  if (spec.requires && !context.capabilities[spec.requires]) {
    throw new Fault(-32021, 'Missing capability', 400, {requiredCapabilities: {[spec.requires]: {}}});
  }
  for (const data of spec.log ?? []) {
    if (context.logs) context.notify('notifications/message', {level: 'info', data});
    await sleep(20);
  }
  const progressToken = params._meta?.progressToken;
  for (const progress of progressToken === undefined ? [] : spec.progress ?? []) {
    context.notify('notifications/progress', {progressToken, progress, total: 100});
    await sleep(20);
  }
  if (spec.disconnect && context.disconnect) await context.disconnect();
  if (spec.changed) announce(spec.changed);
  if (spec.ask) return await ask(spec, params, context);
  const {content, isError} = filled(spec, params.arguments);
  return {content, ...(isError ? {isError} : {})};
}

const methods = {
  'tools/list': () => ({
    tools: Object.entries(catalog.tools).map(([name, spec]) => ({
      name, description: 'Tool ' + name, inputSchema: {type: 'object', ...spec.schema},
    })),
  }),
  'tools/call': call,
  'resources/list': () => ({
    resources: Object.entries(catalog.resources).map(([uri, {mimeType}]) => ({
      uri, name: uri.slice(7), description: 'Resource ' + uri, mimeType,
    })),
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [{
      uriTemplate: 'test://template/{id}/data', name: 'template', description: 'A template',
      mimeType: 'application/json',
    }],
  }),
  'resources/read': ({uri}) => {
    const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
    const found = id
      ? {mimeType: 'application/json', text: JSON.stringify({id, templateTest: true, data: 'Data for ID: ' + id})}
      : catalog.resources[uri];
    if (!found) throw new Fault(-32602, 'Resource not found', 200, {uri});
    return {contents: [{uri, ...filled(found)}]};
  },
  'prompts/list': () => ({
    prompts: Object.entries(catalog.prompts).map(([name, spec]) => ({
      name, description: 'Prompt ' + name,
      arguments: (spec.arguments ?? []).map(argument => ({name: argument, description: argument, required: true})),
    })),
  }),
  'prompts/get': async (params, context) => {
    const spec = catalog.prompts[params.name];
    if (!spec) throw new Fault(-32602, 'Unknown prompt: ' + params.name);
    const more = spec.ask ? await ask(spec, params, context) : {};
    return more.resultType ? more : {messages: filled(spec.content, params.arguments).map(content => ({role: 'user', content}))};
  },
  'completion/complete': () => ({completion: {values: ['paris', 'park'], total: 2, hasMore: false}}),
};
const legacyMethods = {
  'ping': () => ({}),
  'logging/setLevel': () => ({}),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
};

function announce(what) {
  for (const listener of listeners) listener(what);
}

const envelope = (id, result) => ({jsonrpc: '2.0', id, result});
const refusal = (id, fault) => ({
  jsonrpc: '2.0', ...(id === undefined ? {} : {id}),
  error: {code: fault.code ?? -32603, message: fault.message, ...(fault.data ? {data: fault.data} : {})},
});

function json(response, status, body, headers = {}) {
  response.writeHead(status, {'Content-Type': 'application/json', ...headers});
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function openStream(response, headers = {}) {
  response.writeHead(200, {'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', ...headers});
  response.flushHeaders();
}

const event = (message, id) => (id ? `id: ${id}\n` : '') + `data: ${JSON.stringify(message)}\n\n`;

// ---- 2026-07-28

/** The value that a header carries, decoded; undefined when it is absent or not valid Base64. */
function decoded(header) {
  const match = /^=\?base64\?(.*)\?=$/.exec(header ?? '');
  if (!match) return header;
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(match[1])
    ? Buffer.from(match[1], 'base64').toString() : undefined;
}

function checkHeaders(headers, message) {
  const {method, params} = message;
  const equal = (name, value) => {
    if (decoded(headers[name]) !== value) throw new Fault(-32020, 'Header mismatch: ' + name, 400);
  };
  equal('mcp-protocol-version', params._meta[META + 'protocolVersion']);
  equal('mcp-method', method);
  if (['tools/call', 'prompts/get'].includes(method)) equal('mcp-name', params.name);
  if (method === 'resources/read') equal('mcp-name', params.uri);
  if (method !== 'tools/call') return;
  for (const [name, property] of Object.entries(catalog.tools[params.name]?.schema?.properties ?? {})) {
    const value = params.arguments?.[name];
    if (property['x-mcp-header'] && value !== undefined && value !== null) {
      equal('mcp-param-' + property['x-mcp-header'].toLowerCase(), String(value));
    }
  }
}

async function modern(request, response, message) {
  const {id, method, params} = message;
  const meta = params?._meta;
  const answer = [];
  try {
    if (!meta?.[META + 'protocolVersion'] || !meta[META + 'clientCapabilities']) {
      throw new Fault(-32602, 'Missing _meta', 400);
    }
    checkHeaders(request.headers, message);
    const requested = meta[META + 'protocolVersion'];
    if (requested !== MODERN) {
      throw new Fault(-32022, 'Unsupported protocol version', 400, {supported: [MODERN], requested});
    }
    if (method === 'subscriptions/listen') return listen(response, message);
    const context = {
      capabilities: meta[META + 'clientCapabilities'], logs: meta[META + 'logLevel'],
      notify: (name, values) => {
        if (!response.headersSent) openStream(response);
        response.write(event({jsonrpc: '2.0', method: name, params: values}));
      },
    };
    const handler = method === 'server/discover' ? discover : methods[method];
    if (!handler) throw new Fault(-32601, 'Method not found', 404);
    const cacheable = /\/list$|^resources\/read$|^server\/discover$/.test(method);
    const result = {
      resultType: 'complete', ...(cacheable ? {ttlMs: 1000, cacheScope: 'public'} : {}),
      ...await handler(params, context), _meta: IDENTITY,
    };
    answer.push(envelope(id, result), 200);
  } catch (fault) {
    answer.push(refusal(id, fault), fault.status ?? 500);
  }
  if (response.headersSent) response.end(event(answer[0]));
  else json(response, answer[1], answer[0]);
}

const discover = () => ({
  supportedVersions: [MODERN], capabilities: catalog.capabilities, serverInfo: catalog.server,
});

function listen(response, {id, params}) {
  openStream(response);
  const tagged = (method, values) => response.write(event({
    jsonrpc: '2.0', method, params: {...values, _meta: {[META + 'subscriptionId']: id}},
  }));
  tagged('notifications/subscriptions/acknowledged', {notifications: params.notifications});
  const listener = what => {
    if (params.notifications[what + 'ListChanged']) tagged(`notifications/${what}/list_changed`, {});
  };
  listeners.add(listener);
  response.on('close', () => listeners.delete(listener));
}

// ---- 2025-03-26 to 2025-11-25

async function legacy(request, response, message) {
  const {id, method, params} = message;
  if (method === 'initialize') {
    const session = {
      id: randomUUID(), events: [], pending: new Map(), next: 1,
      capabilities: params.capabilities ?? {},
    };
    sessions.set(session.id, session);
    const protocolVersion = LEGACY.includes(params.protocolVersion) ? params.protocolVersion : LEGACY[0];
    const result = {
      protocolVersion, capabilities: {...catalog.capabilities, logging: {}}, serverInfo: catalog.server,
    };
    return json(response, 200, envelope(id, result), {'Mcp-Session-Id': session.id});
  }
  const session = sessions.get(request.headers['mcp-session-id']);
  if (!session) {
    const status = request.headers['mcp-session-id'] ? 404 : 400;
    return json(response, status, refusal(id, new Fault(-32000, 'No such session')));
  }
  if (method === undefined) {
    session.pending.get(message.id)?.(message.result ?? message.error);
    return response.writeHead(202).end();
  }
  if (id === undefined) return response.writeHead(202).end();

  // Every message has an id to resume from; the empty first event gives the client one at once.
  const stream = randomUUID();
  openStream(response);
  const send = body => {
    const eventId = `${stream}_${session.events.length}`;
    session.events.push({eventId, stream, body});
    const target = session.resumed?.get(stream) ?? response;
    if (!target.writableEnded) target.write(body === '' ? `id: ${eventId}\nretry: 200\ndata: \n\n` : event(body, eventId));
  };
  send('');
  const ask = body => new Promise(resolve => {
    const requestId = 'server-' + session.next++;
    session.pending.set(requestId, resolve);
    send({jsonrpc: '2.0', id: requestId, ...body});
  });
  const context = {
    capabilities: session.capabilities, logs: true, ask,
    notify: (name, values) => send({jsonrpc: '2.0', method: name, params: values}),
    disconnect: async () => {
      response.end();
      await sleep(100);
    },
  };
  try {
    const handler = methods[method] ?? legacyMethods[method];
    if (!handler) throw new Fault(-32601, 'Method not found');
    send(envelope(id, await handler(params ?? {}, context)));
  } catch (fault) {
    send(refusal(id, fault));
  }
  (session.resumed?.get(stream) ?? response).end();
}

/** The stream of a session: what a client missed, then what no request caused. */
function get(request, response) {
  const session = sessions.get(request.headers['mcp-session-id']);
  if (!session) return json(response, 404, refusal(undefined, new Fault(-32000, 'No such session')));
  openStream(response);
  const last = request.headers['last-event-id'];
  if (last) {
    const from = session.events.findIndex(({eventId}) => eventId === last);
    const {stream} = session.events[from] ?? {};
    session.resumed ??= new Map();
    session.resumed.set(stream, response);
    const missed = session.events.slice(from + 1).filter(each => each.stream === stream);
    missed.forEach(({eventId, body}) => response.write(event(body, eventId)));
    if (missed.some(({body}) => body.result || body.error)) response.end();
    return;
  }
  const listener = what =>
    response.write(event({jsonrpc: '2.0', method: `notifications/${what}/list_changed`}));
  listeners.add(listener);
  response.on('close', () => listeners.delete(listener));
}

const local = value => /^(https?:\/\/)?(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(value);

createServer((request, response) => {
  const {origin, host} = request.headers;
  if (!local(host) || (origin && !local(origin))) {
    return json(response, 403, refusal(undefined, new Fault(-32000, 'Forbidden host or origin')));
  }
  const sessionful = eras !== 'modern';
  if (request.method === 'GET' && sessionful) return get(request, response);
  if (request.method === 'DELETE' && sessionful) {
    return response.writeHead(sessions.delete(request.headers['mcp-session-id']) ? 200 : 404).end();
  }
  if (request.method !== 'POST') return response.writeHead(405).end();
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    let message;
    try {
      message = JSON.parse(Buffer.concat(chunks));
    } catch {
      return json(response, 400, {...refusal(undefined, new Fault(-32700, 'Parse error')), id: null});
    }
    const isModern = message.params?._meta?.[META + 'protocolVersion'] !== undefined
      || request.headers['mcp-protocol-version'] === MODERN;
    if (eras === 'modern' || (isModern && eras === 'both')) return modern(request, response, message);
    if (isModern) return json(response, 400, refusal(message.id, new Fault(-32000, 'Unsupported protocol version')));
    return legacy(request, response, message);
  });
}).listen(port, '127.0.0.1', function () {
  console.log('http://127.0.0.1:' + this.address().port + '/mcp');
});
