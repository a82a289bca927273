// The packaged service on a data folder of its own, and the passport that the agents act under.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** What the agents may do: one command, files of the run's folder, one MCP tool, no web. */
const passport = (folder) => ({
  name: "Trial agent",
  description: "A coding agent that a scripted model drives.",
  role: "agent",
  regions: ["EU"],
  framework: ["custom"],
  capabilities: ["system.command.execute", "data.file.write", "web.fetch", "mcp.tool.execute"].map((id) => ({ id })),
  limits: {
    "system.command.execute": { allowed_commands: ["touch"], max_execution_time: 600 },
    "data.file.write": { allowed_paths: [`${folder}/*`] },
    "web.fetch": { allowed_domains: ["docs.example.org"] },
    "mcp.tool.execute": { allowed_servers: ["mcp:trial"], allowed_tools: ["note"], max_calls_per_minute: 60 },
  },
});

export class Service {
  #process;

  constructor(command, folder) {
    this.command = command;
    this.folder = folder;
  }

  /** Starts the service, and issues the passport at the first start. */
  async start() {
    this.port ??= await freePort();
    this.url = `http://127.0.0.1:${this.port}`;
    const env = { ...process.env, DATA_DIR: join(this.folder, "data"), PORT: String(this.port), DRAIN_SECONDS: "0" };
    this.#process = spawn(this.command, ["serve"], { env, stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve, reject) => {
      let said = "";
      this.#process.stdout.on("data", (text) => (said += text).includes("answers on") && resolve());
      this.#process.on("exit", () => reject(new Error(`the service ended: ${said}`)));
    });
    if (this.key) return;
    this.key = /sck_\w+/.exec(readFileSync(join(this.folder, "data/first-run.txt"), "utf8"))[0];
    this.agentId = (await this.#ask("POST", "/api/passports", passport(this.folder))).agent_id;
  }

  async stop() {
    if (this.#process?.exitCode !== null) return;
    this.#process.kill();
    await once(this.#process, "exit");
  }

  /** Suspends the passport or activates it again. */
  async status(status) {
    await this.#ask("PUT", `/api/passports/${this.agentId}/status`, { status });
  }

  async #ask(method, path, body) {
    const headers = { "X-API-Key": this.key, "Content-Type": "application/json" };
    const answer = await fetch(this.url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
