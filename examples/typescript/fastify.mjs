// A web service that agents call: it asks whether the agent may, before it answers.
import Fastify from 'fastify';
import { Safeconduct } from '@safeconduct/client';
import { safeconduct } from '@safeconduct/client/fastify';

const app = Fastify();
const preHandler = safeconduct({
  client: new Safeconduct(),
  policy: 'data.file.read.v1',
  context: (request) => ({ file_path: `/reports/${request.params.name}` }),
});
app.get('/reports/:name', { preHandler }, async (request) =>
  `${request.params.name} for ${request.safeconduct.agentId}`);

const address = await app.listen({ port: 0, host: '127.0.0.1' });
const headers = { 'X-Agent-Passport-Id': process.env.SAFECONDUCT_AGENT_ID };
const report = await fetch(`${address}/reports/october`, { headers });
console.log('allowed:', await report.text());
const secret = await fetch(`${address}/reports/..%2Fetc%2Fpasswd`, { headers });
console.log('denied:', secret.status, (await secret.json()).code);
await app.close();
