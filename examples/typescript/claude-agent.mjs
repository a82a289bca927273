// The hooks for the Claude Agent SDK. With `ask` as an argument they guard a real agent.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { Safeconduct } from '@safeconduct/client';
import { safeconduct } from '@safeconduct/client/claude-agent';

const hooks = safeconduct({ client: new Safeconduct(), cwd: '/srv/app' });

if (process.argv[2] === 'ask') {
  for await (const message of query({ prompt: 'Restart the machine.', options: { hooks } })) {
    console.log(message.type);
  }
} else {
  const [hook] = hooks.PreToolUse[0].hooks;
  for (const command of ['echo hello', 'reboot']) {
    const answer = await hook({
      hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command }, cwd: '/srv/app' });
    const decision = answer.hookSpecificOutput;
    console.log(decision ? `denied: ${decision.permissionDecisionReason}` : `allowed: ${command}`);
  }
}
