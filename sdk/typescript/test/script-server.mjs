// Plays the script of a case of sdk/vectors/client.json; sdk/vectors/README.md explains the members.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';

const folder = process.env.SAFECONDUCT_VECTORS;
export const vectors = (name) => JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8'));

export const recorded = vectors('answers');

const values = {
  '{agent_id}': recorded.questions.allow.agent_id,
  '{kid}': recorded.answers.allow.kid,
  '{reservation_id}': recorded.answers.reserved.reservation_id,
  '{approval_id}': recorded.answers.approval.approval.approval_id,
};

/** Replaces the names in braces in every text of a value. */
export function filled(value) {
  if (typeof value === 'string') {
    return Object.entries(values).reduce((text, [name, is]) => text.replaceAll(name, is), value);
  }
  if (Array.isArray(value)) return value.map(filled);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each)]));
}

export function at(value, pointer) {
  return pointer.split('/').slice(1).reduce((inner, name) => inner?.[name], value);
}

function parentOf(value, pointer) {
  const names = pointer.split('/').slice(1);
  return [at(value, ['', ...names.slice(0, -1)].join('/')), names.at(-1)];
}

function bodyOf(answer) {
  const { text, base64, append = '', repeat = 1, keep } = answer;
  let body;
  if (base64 !== undefined) {
    body = Buffer.from(base64, 'base64');
  } else if (text !== undefined) {
    body = Buffer.from(text.repeat(repeat));
  } else {
    const json = structuredClone(
      answer.answer ? recorded.answers[answer.answer]
        : answer.keys ? recorded[answer.keys]
          : answer.passport ? recorded.passport : answer.json);
    for (const [pointer, value] of Object.entries(answer.set ?? {})) {
      const [parent, name] = parentOf(json, pointer);
      parent[name] = value;
    }
    for (const pointer of answer.remove ?? []) {
      const [parent, name] = parentOf(json, pointer);
      delete parent[name];
    }
    body = Buffer.from(JSON.stringify(json));
  }
  body = Buffer.concat([body, Buffer.from(append)]);
  return keep === undefined ? body : body.subarray(0, keep);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());

async function send(answer, response) {
  if (answer.close) return response.socket.destroy();
  if (answer.delay_ms) await sleep(answer.delay_ms);
  const body = bodyOf(answer);
  const headers = { 'Content-Type': 'application/json', ...answer.headers };
  if (!answer.chunked) headers['Content-Length'] = body.length;
  response.writeHead(answer.status ?? 200, headers);
  response.flushHeaders();
  if (answer.body_delay_ms) await sleep(answer.body_delay_ms);
  if (answer.drip_ms) {
    for (let i = 0; i < body.length && !response.destroyed; i++) {
      response.write(body.subarray(i, i + 1));
      await sleep(answer.drip_ms);
    }
    return response.end();
  }
  if (answer.cut === undefined) return response.end(body);
  const part = body.subarray(0, answer.cut < 0 ? body.length + answer.cut : answer.cut);
  if (part.length > 0) await new Promise((resolve) => response.write(part, resolve));
  await sleep(30);
  return response.socket?.destroy();
}

/** Starts the server of a case; `received` has its requests. */
export async function play(script) {
  const received = [];
  const streams = new Set();
  let keyRequests = 0;
  let silent = false;
  const jwks = script.jwks ?? [{ keys: 'jwks' }];
  const answers = [...script.server];
  const tell = (event, data) => {
    for (const stream of streams) stream.write(`id: 1\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url;
    if (path === '/jwks.json') {
      return send(jwks[Math.min(keyRequests++, jwks.length - 1)], response);
    }
    if (path === '/api/revocations') {
      if (!script.stream) return send({ status: 404, json: {} }, response);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(': \n\n');
      streams.add(response);
      const beat = setInterval(() => silent || response.write(': \n\n'), 200);
      response.on('close', () => { clearInterval(beat); streams.delete(response); });
      return undefined;
    }
    const text = Buffer.concat(chunks).toString();
    received.push({ method: request.method, path, headers: request.headers, text });
    const answer = answers[0]?.forever ? answers[0] : answers.shift();
    if (answer?.event) {
      tell(answer.event.event, answer.event.data);
      await sleep(200);
    }
    return send(answer ?? { status: 500, text: '' }, response);
  });
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const stop = () => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); });
  if (script.refused || script.listen_after_ms) await stop();
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    get keyRequests() { return keyRequests; },
    begin() {
      if (script.listen_after_ms) setTimeout(() => server.listen(port, '127.0.0.1'), script.listen_after_ms);
    },
    event: tell,
    endStream() { for (const stream of streams) stream.end(); streams.clear(); script.stream = false; },
    silence() { silent = true; },
    stop,
  };
}
