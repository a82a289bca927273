// A LangChain agent whose tool calls are decided by the service. The model is scripted.
import { createAgent, createMiddleware, fakeModel, tool, ToolMessage } from 'langchain';
import { AIMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { Safeconduct } from '@safeconduct/client';
import { safeconduct } from '@safeconduct/client/langchain';

const shell = tool(({ command }) => `ran ${command}`, {
  name: 'shell', description: 'Runs a command.', schema: z.object({ command: z.string() }) });

const guard = createMiddleware(safeconduct({
  client: new Safeconduct(),
  ToolMessage,
  tools: { shell: ({ command }) => ({ policy: 'system.command.execute.v1', context: { command } }) },
}));

const model = fakeModel()
  .respondWithTools([{ name: 'shell', args: { command: 'echo hello' } }])
  .respondWithTools([{ name: 'shell', args: { command: 'reboot' } }])
  .respond(new AIMessage('Done.'));
const agent = createAgent({ model, tools: [shell], middleware: [guard] });
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Restart it.' }] });
for (const message of messages.filter((each) => ToolMessage.isInstance(each))) {
  console.log(message.status === 'error' ? 'denied:' : 'allowed:', message.content);
}
