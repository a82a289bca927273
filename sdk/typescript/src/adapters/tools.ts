import type { GuardedAction } from '../action.js';
import type { Safeconduct } from '../client.js';
import type { Decision } from '../decision.js';
import { ActionDenied } from '../errors.js';

/** An action that a tool call stands for, without what the call itself tells. */
export type ToolAction = Omit<GuardedAction, 'signal'>;

/** A call of a tool by a model. */
export interface ToolCall {
  readonly name: string;
  readonly args: any;
}

/**
 * Returns the action that a call stands for; several when all of them must be allowed; `'none'` for
 * a call that needs no decision; undefined for a tool that is not known, which is denied.
 */
export type ToolActions = (
  call: ToolCall,
) => ToolAction | readonly ToolAction[] | 'none' | undefined;

/** Actions by the name of the tool. A tool that is not listed is denied. */
export type ToolTable = Readonly<
  Record<string, 'none' | ((args: any) => ToolAction | readonly ToolAction[])>
>;

/** What every adapter needs. */
export interface ToolOptions {
  readonly client: Safeconduct;
  readonly tools: ToolTable | ToolActions;
  /** The agent that acts; default: that of the client. */
  readonly agentId?: string | undefined;
}

/** The reason of the deny of a tool that is not known. */
export const UNKNOWN_TOOL = 'client.unknown_tool';

/** The reason of the deny of a call whose arguments give no action. */
export const INVALID_ARGUMENTS = 'client.invalid_arguments';

/** Asks before tools run. It never lets a call through because something failed. */
export class ToolGuard {
  readonly #actions: ToolActions;

  constructor(private readonly options: ToolOptions) {
    const { tools } = options;
    this.#actions =
      typeof tools === 'function'
        ? tools
        : ({ name, args }) => {
            const known = Object.hasOwn(tools, name) ? tools[name] : undefined;
            return typeof known === 'function' ? known(args) : known;
          };
  }

  /** Returns the deny of a call, or undefined if it may run. Never throws. */
  async deny(call: ToolCall, signal?: AbortSignal): Promise<ActionDenied | undefined> {
    try {
      for (const action of this.#of(call)) {
        await this.options.client.guard({ ...action, signal }, () => {});
      }
      return undefined;
    } catch (error) {
      return error instanceof ActionDenied ? error : refused(call, messageOf(error), INVALID_ARGUMENTS);
    }
  }

  /** Runs the tool if the call may run; throws ActionDenied else. */
  async run<T>(call: ToolCall, fn: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    let started = false;
    try {
      const actions = this.#of(call);
      const next = async (i: number): Promise<T> => {
        if (i < actions.length) {
          return this.options.client.guard({ ...actions[i]!, signal }, () => next(i + 1));
        }
        started = true;
        return fn();
      };
      return await next(0);
    } catch (error) {
      // What the tool throws is its own; everything before means that the call may not run.
      if (started || error instanceof ActionDenied) throw error;
      throw refused(call, messageOf(error), INVALID_ARGUMENTS);
    }
  }

  #of(call: ToolCall): readonly ToolAction[] {
    const found = this.#actions(call);
    if (found === 'none') return [];
    const actions = Array.isArray(found) ? (found as readonly ToolAction[]) : [found as ToolAction];
    if (found === undefined || actions.length === 0) {
      throw refused(call, 'no policy is set for it', UNKNOWN_TOOL);
    }
    const { agentId } = this.options;
    return agentId === undefined ? actions : actions.map((action) => ({ agentId, ...action }));
  }
}

/** What a model reads in place of a result. */
export function denialText(denied: ActionDenied): string {
  return `Denied by policy, do not try again in another way: ${denied.message}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it cannot be asked for';
}

function refused(call: ToolCall, why: string, code: string): ActionDenied {
  const message = `The tool ${String(call?.name)} may not run: ${why}.`;
  const decision: Decision = {
    allow: false,
    reasons: [{ code, message, severity: 'error' }],
    decisionId: null,
    expiresAt: null,
    expiresIn: 0,
    agentId: '',
    policy: '',
    dryRun: false,
    verified: false,
    cached: false,
    raw: null,
  };
  return new ActionDenied(decision);
}
