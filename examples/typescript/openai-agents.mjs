// An agent of the OpenAI Agents SDK whose tool calls are decided by the service. The model is scripted.
import { Agent, run, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { z } from 'zod';
import { Safeconduct } from '@safeconduct/client';
import { safeconduct } from '@safeconduct/client/openai-agents';

setTracingDisabled(true);
const guardrail = safeconduct({
  client: new Safeconduct(),
  tools: { shell: ({ command }) => ({ policy: 'system.command.execute.v1', context: { command } }) },
});
const shell = tool({
  name: 'shell', description: 'Runs a command.', parameters: z.object({ command: z.string() }),
  inputGuardrails: [guardrail],
  execute: async ({ command }) => `ran ${command}`,
});
const model = new ScriptedModel([
  [functionCall('shell', { command: 'echo hello' }, { callId: 'a' })],
  [functionCall('shell', { command: 'reboot' }, { callId: 'b' })],
  [assistantMessage('Done.')],
]);
const result = await run(new Agent({ name: 'Operator', model, tools: [shell] }), 'Restart it.');
for (const { rawItem } of result.newItems.filter((item) => item.type === 'tool_call_output_item')) {
  const text = rawItem.output.text ?? rawItem.output;
  console.log(text.startsWith('ran') ? 'allowed:' : 'denied:', text);
}
