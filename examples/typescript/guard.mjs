// Runs a command only if the service allows it.
import { execFileSync } from 'node:child_process';
import { ActionDenied, Safeconduct } from '@safeconduct/client';

const sc = new Safeconduct(); // SAFECONDUCT_URL, SAFECONDUCT_API_KEY, SAFECONDUCT_AGENT_ID

async function run(command) {
  try {
    const action = { policy: 'system.command.execute.v1', context: { command } };
    const [program, ...words] = command.split(' ');
    const output = await sc.guard(action, () => execFileSync(program, words, { encoding: 'utf8' }));
    console.log('allowed:', output.trim());
  } catch (error) {
    if (!(error instanceof ActionDenied)) throw error;
    console.log('denied:', error.code);
  }
}

await run('echo hello');
await run('reboot');
