// A web service that agents call: it asks whether the agent may, before it answers.
import express from 'express';
import { Safeconduct } from '@safeconduct/client';
import { safeconduct } from '@safeconduct/client/express';

const app = express();
const mayRead = safeconduct({
  client: new Safeconduct(),
  policy: 'data.file.read.v1',
  context: (request) => ({ file_path: `/reports/${request.params.name}` }),
});
app.get('/reports/:name', mayRead, (request, response) => {
  response.send(`${request.params.name} for ${request.safeconduct.agentId}`);
});

const server = app.listen(0, '127.0.0.1', async () => {
  const get = (name) => fetch(`http://127.0.0.1:${server.address().port}/reports/${name}`, {
    headers: { 'X-Agent-Passport-Id': process.env.SAFECONDUCT_AGENT_ID } });
  const report = await get('october');
  console.log('allowed:', await report.text());
  const secret = await get('..%2Fetc%2Fpasswd');
  console.log('denied:', secret.status, (await secret.json()).code);
  server.close();
});
