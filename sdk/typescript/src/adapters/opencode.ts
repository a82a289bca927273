import { codingTools } from './coding.js';
import type { ClaudeOptions as PluginOptions } from './claude-agent.js';
import { denialText, ToolGuard } from './tools.js';

/**
 * A plugin of OpenCode that asks before each tool call; a denied call throws. Names of MCP tools do
 * not tell their server here, so map them in `tools`, or use a gateway.
 */
export function safeconduct(options: PluginOptions) {
  return async (input: { directory?: string } = {}) => {
    const cwd = options.cwd ?? input.directory;
    const tools = options.tools ?? codingTools({ cwd, servers: options.servers });
    const guard = new ToolGuard({ ...options, tools });
    return {
      'tool.execute.before': async (call: { tool: string }, output: { args: any }) => {
        const denied = await guard.deny({ name: call.tool, args: output.args });
        if (denied !== undefined) throw new Error(denialText(denied), { cause: denied });
      },
    };
  };
}
