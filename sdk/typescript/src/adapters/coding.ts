import { resolve } from 'node:path';
import type { ToolAction, ToolActions } from './tools.js';

/** Settings of {@link codingTools}. */
export interface CodingOptions {
  /** The directory that relative paths start from; default the current one. */
  readonly cwd?: string | undefined;
  /** The addresses of MCP servers by their names. A server that is not listed is denied. */
  readonly servers?: Readonly<Record<string, string>> | undefined;
  /** Further tools, or other actions for known ones. */
  readonly tools?: ToolActions | undefined;
}

const SHELL = new Set(['bash', 'powershell', 'exec']);
const READ = new Set(['read']);
const SEARCH = new Set(['glob', 'grep', 'list', 'ls']);
const WRITE = new Set(['write']);
const EDIT = new Set(['edit', 'multiedit', 'notebookedit']);
const FETCH = new Set(['webfetch', 'web_fetch']);
const WEB_SEARCH = new Set(['websearch', 'web_search']);
const SUBAGENT = new Set(['agent', 'task', 'sessions_spawn']);
const HARMLESS = new Set(['todowrite', 'todoread', 'toolsearch', 'askuserquestion', 'exitplanmode', 'enterplanmode']);

/**
 * The actions of the tools of coding agents (Claude Code, OpenCode, OpenClaw): commands, files, web,
 * sub-agents and MCP tools named `mcp__<server>__<tool>`. Other tools are denied.
 */
export function codingTools(options: CodingOptions = {}): ToolActions {
  const cwd = options.cwd ?? process.cwd();
  const file = (path: unknown) => resolve(cwd, text(path));
  return (call) => {
    const own = options.tools?.(call);
    if (own !== undefined) return own;
    const args = call.args ?? {};
    const name = call.name.toLowerCase();
    const path = only(args.file_path, args.filePath, args.notebook_path, args.path);
    if (HARMLESS.has(name)) return 'none';
    if (SHELL.has(name)) {
      return {
        policy: 'system.command.execute.v1',
        context: {
          command: text(args.command),
          cwd: file(only(args.workdir, args.cwd) ?? '.'),
          ...(name === 'powershell' ? { shell: 'powershell' } : {}),
          ...(args.env === undefined ? {} : { env: args.env }),
          ...(args.timeout === undefined ? {} : { timeout: seconds(name, args.timeout) }),
        },
      };
    }
    if (READ.has(name)) return read(file(path));
    if (SEARCH.has(name)) {
      // A pattern may climb out of the directory it starts in.
      const pattern = name === 'glob' ? text(args.pattern ?? '') : '';
      const start = file(args.path ?? '.');
      const fixed = pattern.split(/[*?[{]/)[0] ?? '';
      if (pattern.slice(fixed.length).includes('..')) throw new TypeError('the pattern climbs');
      return [read(start), read(resolve(start, fixed))];
    }
    if (WRITE.has(name)) {
      return { policy: 'data.file.write.v1', context: { file_path: file(path), content: text(args.content) } };
    }
    if (EDIT.has(name)) return { policy: 'data.file.write.v1', context: { file_path: file(path) } };
    if (FETCH.has(name)) {
      return { policy: 'web.fetch.v1', context: { url: text(args.url), method: 'GET' } };
    }
    if (WEB_SEARCH.has(name)) return { policy: 'web.search.v1', context: { query: text(args.query) } };
    if (SUBAGENT.has(name)) {
      const title = text(args.description ?? args.label ?? 'sub-agent').slice(0, 200);
      return {
        policy: 'agent.session.create.v1',
        context: { user_id: 'agent', session_type: 'ephemeral', session_name: title },
      };
    }
    const servers = Object.entries(options.servers ?? {}).filter(([server]) =>
      call.name.startsWith(`mcp__${server}__`),
    );
    const [server, address] = servers[0] ?? [];
    // With two such servers the name does not tell which one it is.
    if (servers.length !== 1 || server === undefined || address === undefined) return undefined;
    return mcpAction(address, call.name.slice(`mcp__${server}__`.length), args);
  };
}

/** The action of a call of an MCP tool. */
export function mcpAction(server: string, tool: string, parameters: object): ToolAction {
  return { policy: 'mcp.tool.execute.v1', context: { server, tool, parameters } };
}

function read(path: string): ToolAction {
  return { policy: 'data.file.read.v1', context: { file_path: path } };
}

/** Time-outs are in milliseconds, in OpenClaw's exec in seconds. */
function seconds(name: string, timeout: unknown): unknown {
  return typeof timeout === 'number' && name !== 'exec' ? Math.ceil(timeout / 1000) : timeout;
}

/** Programs read different names; with two values the one that is asked about may not be the one used. */
function only(...values: unknown[]): unknown {
  const [first, ...more] = values.filter((value) => value !== undefined && value !== null);
  if (more.some((value) => value !== first)) throw new TypeError('two arguments name different paths');
  return first;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('an argument that the policy needs is not a text');
  return value;
}
