// Compiled by package.test.mjs. A line after @ts-expect-error must not compile.
import { ActionDenied, Safeconduct, type Decision } from '@safeconduct/client';
import { safeconduct } from '@safeconduct/client/express';

const sc = new Safeconduct({ baseUrl: 'http://127.0.0.1', apiKey: 'sck_x', timeoutMs: 100 });
const command = { agentId: 'ap_x', policy: 'system.command.execute.v1' as const };

export async function typed(): Promise<number> {
  const decision: Decision = await sc.check({ ...command, context: { command: 'ls', region: 'EU' } });
  await sc.check({ policy: 'system.command.execute.v1', context: { command: 'ls', timeout: 3 } });
  await sc.check({ policy: 'acme.own.pack.v1', context: { anything: ['goes'] } });
  // @ts-expect-error a misspelt field
  await sc.check({ policy: 'system.command.execute.v1', context: { comand: 'ls' } });
  // @ts-expect-error a misspelt optional field
  await sc.check({ policy: 'system.command.execute.v1', context: { command: 'ls', cwdd: '/' } });
  // @ts-expect-error a missing field
  await sc.check({ policy: 'system.command.execute.v1', context: {} });
  // @ts-expect-error a wrong type
  await sc.check({ policy: 'system.command.execute.v1', context: { command: 'ls', timeout: '3' } });
  // @ts-expect-error not one of the values
  await sc.check({ policy: 'agent.session.create.v1', context: { user_id: 'u', session_type: 'other' } });
  // @ts-expect-error no policy
  await sc.check({ context: {} });
  // @ts-expect-error a decision cannot be changed
  decision.allow = true;
  const denied: ActionDenied = new ActionDenied(decision);
  safeconduct({ client: sc, policy: 'x', context: () => ({}) });
  return sc.guard({ ...command, context: { command: denied.code } }, () => 1);
}
