// An agent of the Vercel AI SDK whose tool calls are decided by the service. The model is scripted.
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';
import { Safeconduct } from '@safeconduct/client';
import { guardTools } from '@safeconduct/client/ai';

const tools = guardTools({
  shell: tool({ description: 'Runs a command.', inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }) => `ran ${command}` }),
}, {
  client: new Safeconduct(),
  tools: { shell: ({ command }) => ({ policy: 'system.command.execute.v1', context: { command } }) },
});

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const step = (command) => ({ usage, warnings: [], finishReason: { unified: 'tool-calls' }, content: [
  { type: 'tool-call', toolCallId: command, toolName: 'shell', input: JSON.stringify({ command }) }] });
const last = { usage, warnings: [], finishReason: { unified: 'stop' }, content: [{ type: 'text', text: 'Done.' }] };
const model = new MockLanguageModelV3({ doGenerate: [step('echo hello'), step('reboot'), last] });

const { steps } = await generateText({ model, tools, prompt: 'Restart it.', stopWhen: stepCountIs(5) });
for (const part of steps.flatMap((each) => each.content)) {
  if (part.type === 'tool-result') console.log('allowed:', part.output);
  if (part.type === 'tool-error') console.log('denied:', part.error.message);
}
