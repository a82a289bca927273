// An MCP server whose tool calls are decided by the service, and a client in the same process.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { Safeconduct } from '@safeconduct/client';
import { protect } from '@safeconduct/client/mcp';

const server = protect(new McpServer({ name: 'notes', version: '1.0.0' }),
  { client: new Safeconduct(), server: 'https://notes.example/mcp' });
for (const name of ['read_note', 'delete_note']) {
  server.registerTool(name, { inputSchema: { id: z.string() } },
    async ({ id }) => ({ content: [{ type: 'text', text: `${name} ${id}` }] }));
}

const [near, far] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'agent', version: '1.0.0' });
await Promise.all([server.connect(far), client.connect(near)]);
for (const name of ['read_note', 'delete_note']) {
  const result = await client.callTool({ name, arguments: { id: '7' } });
  console.log(result.isError ? 'denied:' : 'allowed:', result.content[0].text);
}
await client.close();
