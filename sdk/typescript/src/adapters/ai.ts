import { ToolGuard, type ToolOptions } from './tools.js';

/**
 * Wraps `execute` of each tool of the Vercel AI SDK. A denied call throws ActionDenied, which the
 * SDK gives to the model as the tool's error. Tools without `execute` run elsewhere and stay as
 * they are.
 */
export function guardTools<T extends Record<string, any>>(tools: T, options: ToolOptions): T {
  const guard = new ToolGuard(options);
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      const execute: unknown = tool.execute;
      if (typeof execute !== 'function') return [name, tool];
      const streams = execute.constructor.name === 'AsyncGeneratorFunction';
      const run = (args: unknown, call: { abortSignal?: AbortSignal } | undefined) =>
        guard.run(
          { name, args },
          () => (streams ? execute.call(tool, args, call) : last(execute.call(tool, args, call))),
          call?.abortSignal,
        );
      const guarded = streams
        ? async function* (args: unknown, call: any) {
            yield* await run(args, call);
          }
        : run;
      return [name, { ...tool, execute: guarded }];
    }),
  ) as T;
}

/** Another function may return a generator too. The SDK does not look for one in a promise. */
async function last(result: any): Promise<unknown> {
  const returned = await result;
  if (typeof returned?.[Symbol.asyncIterator] !== 'function') return returned;
  let output: unknown;
  for await (output of returned);
  return output;
}
