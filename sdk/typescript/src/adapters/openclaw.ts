import { codingTools } from './coding.js';
import type { ClaudeOptions as PluginOptions } from './claude-agent.js';
import { denialText, ToolGuard, type ToolActions } from './tools.js';

interface Api {
  on(event: 'before_tool_call', handler: (event: any, context: any) => Promise<any>, options?: object): void;
}

/** OpenClaw asks again for what `tool_call` calls, under its own name. */
const TOOL_SEARCH = new Set(['tool_search', 'tool_describe', 'tool_call']);

/**
 * A plugin of OpenClaw that asks before each tool call. It never asks the local user instead: an
 * owner's approval cannot be given there.
 */
export function safeconduct(options: PluginOptions) {
  const coding = codingTools({ cwd: options.cwd, servers: options.servers });
  const isMcp = (name: string) => Object.keys(options.servers ?? {}).some((server) => name.startsWith(`${server}__`));
  const own: ToolActions = (call) =>
    TOOL_SEARCH.has(call.name) ? 'none' : coding(isMcp(call.name) ? { ...call, name: `mcp__${call.name}` } : call);
  const guard = new ToolGuard({ ...options, tools: options.tools ?? own });
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
