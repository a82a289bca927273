// A plugin for OpenCode: put it in .opencode/plugins. The last lines call it as OpenCode does.
import { Safeconduct } from '@safeconduct/client';
import { safeconduct } from '@safeconduct/client/opencode';

export const Plugin = safeconduct({ client: new Safeconduct() });

const hooks = await Plugin({ directory: '/srv/app' });
for (const command of ['echo hello', 'reboot']) {
  await hooks['tool.execute.before']({ tool: 'bash', sessionID: 's', callID: 'c' }, { args: { command } })
    .then(() => console.log('allowed:', command), (error) => console.log('denied:', error.message));
}
