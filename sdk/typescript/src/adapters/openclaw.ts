import { codingTools } from './coding.js';
import type { ClaudeOptions as PluginOptions } from './claude-agent.js';
import { denialText, ToolGuard } from './tools.js';

interface Api {
  on(event: 'before_tool_call', handler: (event: any, context: any) => Promise<any>, options?: object): void;
}

/**
 * A plugin of OpenClaw that asks before each tool call. It never asks the local user instead: an
 * owner's approval cannot be given there.
 */
export function safeconduct(options: PluginOptions) {
  const guard = new ToolGuard({ ...options, tools: options.tools ?? codingTools({ cwd: options.cwd, servers: options.servers }) });
  return {
    id: 'safeconduct',
    name: 'Safeconduct',
    register(api: Api): void {
      api.on(
        'before_tool_call',
        async (event, context) => {
          const call = { name: String(event?.toolName), args: event?.params };
          const denied = await guard.deny(call, context?.abortSignal);
          return denied && { block: true, blockReason: denialText(denied) };
        },
        { priority: 1000 },
      );
    },
  };
}
