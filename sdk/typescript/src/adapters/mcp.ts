import { ActionDenied } from '../errors.js';
import { mcpAction } from './coding.js';
import { denialText, ToolGuard, type ToolOptions } from './tools.js';

/** Options of {@link protect}. */
export interface McpOptions extends Omit<ToolOptions, 'tools'> {
  /** The server's address, as the passport lists it. */
  readonly server: string;
  /** Default: `mcp.tool.execute.v1` with the tool and all its arguments. */
  readonly tools?: ToolOptions['tools'] | undefined;
}

interface Inner {
  setRequestHandler(schema: any, handler: any): void;
  assertCanSetRequestHandler(method: string): void;
}

/**
 * Guards every tool of an MCP server (`McpServer` or `Server` of `@modelcontextprotocol/sdk`), also
 * tools that are added later. Call it before the first tool is registered. A denied call is an
 * error result that the model reads.
 */
export function protect<S extends object>(server: S, options: McpOptions): S {
  const inner = ('server' in server ? server.server : server) as Inner;
  inner.assertCanSetRequestHandler('tools/call');
  const guard = new ToolGuard({
    ...options,
    tools: options.tools ?? (({ name, args }) => mcpAction(options.server, name, args)),
  });
  const original = inner.setRequestHandler.bind(inner);
  inner.setRequestHandler = (schema, handler) =>
    original(schema, async (request: any, extra: any) => {
      if (request?.method !== 'tools/call') return handler(request, extra);
      const { name, arguments: args = {} } = request.params;
      try {
        return await guard.run({ name, args }, () => handler(request, extra), extra?.signal);
      } catch (error) {
        if (!(error instanceof ActionDenied)) throw error;
        return { isError: true, content: [{ type: 'text', text: denialText(error) }] };
      }
    });
  return server;
}
