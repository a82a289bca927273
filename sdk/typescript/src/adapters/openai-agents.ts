import { denialText, ToolGuard, type ToolOptions } from './tools.js';

interface Data {
  readonly toolCall: { readonly name: string; readonly arguments: string };
}

type Behavior = { type: 'allow' } | { type: 'rejectContent'; message: string };

/**
 * A tool input guardrail of the OpenAI Agents SDK. Set it as `inputGuardrails` of each function
 * tool. Hosted tools and handoffs have no such guardrails.
 */
export function safeconduct(options: ToolOptions) {
  const guard = new ToolGuard(options);
  return {
    type: 'tool_input' as const,
    name: 'safeconduct',
    async run({ toolCall }: Data): Promise<{ behavior: Behavior; outputInfo?: unknown }> {
      let args: unknown;
      try {
        args = JSON.parse(toolCall.arguments || '{}');
      } catch {
        const message = 'The arguments of the tool call are not JSON.';
        return { behavior: { type: 'rejectContent', message } };
      }
      const denied = await guard.deny({ name: toolCall.name, args });
      if (denied === undefined) return { behavior: { type: 'allow' } };
      return {
        behavior: { type: 'rejectContent', message: denialText(denied) },
        outputInfo: { code: denied.code, decisionId: denied.decisionId },
      };
    },
  };
}
