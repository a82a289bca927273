// A plugin for OpenClaw. The last lines call it as OpenClaw does.
import { Safeconduct } from '@safeconduct/client';
import { safeconduct } from '@safeconduct/client/openclaw';

const plugin = safeconduct({ client: new Safeconduct(), cwd: '/srv/app' });
export default plugin;

let before;
plugin.register({ on: (_event, handler) => (before = handler) });
for (const command of ['echo hello', 'reboot']) {
  const answer = await before({ toolName: 'exec', params: { command } }, {});
  console.log(answer?.block ? `denied: ${answer.blockReason}` : `allowed: ${command}`);
}
