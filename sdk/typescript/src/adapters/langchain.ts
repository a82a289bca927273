import { ActionDenied } from '../errors.js';
import { denialText, ToolGuard, type ToolOptions } from './tools.js';

interface Request {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string };
  readonly runtime?: { readonly signal?: AbortSignal };
}

interface MessageClass {
  new (fields: { content: string; tool_call_id: string; name: string; status: 'error' }): any;
}

/** Options of {@link safeconduct}; `ToolMessage` is that of `@langchain/core/messages`. */
export interface LangChainOptions extends ToolOptions {
  readonly ToolMessage: MessageClass;
}

/**
 * The middleware for `createMiddleware` of LangChain: asks before each tool call, also those of
 * dynamic and MCP tools. The model gets a denied call back as an error.
 */
export function safeconduct(options: LangChainOptions) {
  const guard = new ToolGuard(options);
  return {
    name: 'Safeconduct',
    async wrapToolCall(request: Request, handler: (request: any) => any): Promise<any> {
      const { name, args, id } = request.toolCall;
      let denied: ActionDenied | undefined;
      try {
        return await guard.run({ name, args }, () => handler(request), request.runtime?.signal);
      } catch (error) {
        if (!(error instanceof ActionDenied)) throw error;
        denied = error;
      }
      const { ToolMessage } = options;
      return new ToolMessage({
        content: denialText(denied),
        tool_call_id: id ?? '',
        name,
        status: 'error',
      });
    },
  };
}
