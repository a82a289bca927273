import { codingTools, type CodingOptions } from './coding.js';
import { denialText, ToolGuard, type ToolOptions } from './tools.js';

/** Options of {@link safeconduct}. */
export interface ClaudeOptions extends Omit<ToolOptions, 'tools'>, Omit<CodingOptions, 'tools'> {
  /** Default {@link codingTools}. */
  readonly tools?: ToolOptions['tools'] | undefined;
}

/**
 * The `hooks` for `query` of the Claude Agent SDK: asks before each tool call, in all permission
 * modes and in sub-agents. On an allow the permission rules of the user still apply.
 */
export function safeconduct(options: ClaudeOptions) {
  const own = options.tools && new ToolGuard({ ...options, tools: options.tools });
  const hook = async (input: any, _id?: string, call?: { signal?: AbortSignal }) => {
    const cwd = options.cwd ?? input?.cwd;
    const guard = own ?? new ToolGuard({ ...options, tools: codingTools({ ...options, tools: undefined, cwd }) });
    const denied = await guard.deny({ name: String(input?.tool_name), args: input?.tool_input }, call?.signal);
    if (denied === undefined) return {};
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse' as const,
        permissionDecision: 'deny' as const,
        permissionDecisionReason: denialText(denied),
      },
    };
  };
  // Without onFailure a hook that fails, or is late, would let the call run.
  return { PreToolUse: [{ hooks: [hook], timeout: 60, onFailure: 'block' as const }] };
}
