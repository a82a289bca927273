// Runs real agents with the scripted model, in a network namespace that has only loopback (see run).
// First what each agent does with the outcomes of a hook (behaviour.json), then each agent under a
// passport of the packaged service: what is allowed happens, what is denied does not.
// usage: run.mjs PACKAGES AGENT…
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AGENTS, folderOf, put } from "./agents.mjs";
import { startModel } from "./model.mjs";
import { Service } from "./service.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const [packages, ...names] = process.argv.slice(2);
const safeconduct = process.env.SAFECONDUCT_COMMAND ?? join(root, "bin/safeconduct");
const behaviour = JSON.parse(readFileSync(join(here, "behaviour.json")));
const LIMIT = 180_000; // of one run; the slowest takes 70 s on two cores
let failures = 0;

function report(agent, what, expected, observed, detail) {
  if (expected === observed) return;
  failures++;
  console.log(`  DIFFERENT: ${agent}, ${what}: expected ${expected}, was ${observed}; the model read: ${detail}`);
}

/** Runs a program to its end; returns its output. */
async function run(program, argv, cwd, env) {
  const child = spawn(program, argv, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), LIMIT);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { code, output };
}

/** Runs an agent once in new folders. `prepare(place)` writes its hook and returns the script. */
async function session(name, work, prepare, more = {}, env = {}) {
  const agent = AGENTS[name];
  const folder = mkdtempSync(join(work, `${name}-`));
  const place = { ...more, folder, home: join(folder, "home"), project: join(folder, "project") };
  place.packages = join(folderOf(packages, agent.package), "node_modules");
  place.mcp = [join(here, "mcp-server.mjs"), place.project];
  for (const each of [place.home, place.project]) mkdirSync(each);
  const script = [];
  const model = await startModel(script);
  place.model = model.url;
  try {
    agent.settings(place);
    script.push(...(await prepare(place)));
    const own = { PATH: process.env.PATH, HOME: place.home, TMPDIR: folder, LANG: "C.UTF-8" };
    let program = join(place.packages, agent.program);
    let argv = [...(place.argv ?? []), ...agent.argv(place)];
    if (agent.program === process.execPath) program = agent.program;
    else if (/js$/.test(program)) [program, argv] = [nodeOf(agent, place), [program, ...argv]];
    const { code, output } = await run(program, argv, place.project, { ...own, ...agent.env(place), ...env });
    const ended = model.results().length >= script.length;
    return { place, results: model.results(), ended, code, output };
  } finally {
    model.close();
  }
}

/** The agent's own Node, where it needs another one. */
function nodeOf(agent, place) {
  return agent.node ? join(place.packages, agent.node, "bin/node") : process.execPath;
}

/** A hook's HTTP server that answers what the case in the request says. */
async function startHook() {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = behaviour.outcomes[/case:([a-z0-9-]+)/.exec(body)?.[1]] ?? {};
    if (answer.reset) return request.socket.destroy();
    if (answer.late) return; // never
    response.writeHead(answer.status ?? 200, { "Content-Type": answer.type ?? "application/json", ...answer.headers });
    response.end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => { server.closeAllConnections(); server.close(); } };
}

/** What the agent does with each outcome of a hook: one shell call for each. */
async function behaves(name, work) {
  const agent = AGENTS[name];
  for (const { hook, files = {}, argv = [], env, runs = [], blocked = [] } of behaviour.agents[name] ?? []) {
    const cases = [...blocked, ...runs];
    const web = await startHook();
    const { place, results, output } = await session(name, work, (place) => {
      const entry = JSON.stringify(hook)
        .replace("$HOOK", `${process.execPath} ${join(here, "hook.mjs")}`)
        .replace("$URL", web.url);
      agent.hook(place, JSON.parse(entry));
      for (const [file, content] of Object.entries(files)) put(join(place.project, file), content);
      return cases.map((each) => agent.shell(`touch ${join(place.project, each)} # case:${each}`));
    }, { argv }, env);
    web.close();
    const what = [JSON.stringify(hook), ...Object.keys(files), ...argv, ...Object.keys(env ?? {})].join(" ");
    cases.forEach((each, i) => {
      const ran = existsSync(join(place.project, each)) ? "runs" : "blocked";
      report(name, `hook ${what}, outcome ${each}`, runs.includes(each) ? "runs" : "blocked", ran, results[i] ?? output.slice(-300));
    });
    console.log(`  outcomes of a hook: ${cases.length}, ${what}`);
  }
}

/** The steps under the passport, in their order; each says what must be so afterwards. */
function steps(agent, place, service) {
  const file = (path) => join(place.project, path);
  const touch = (path) => agent.shell(`touch ${file(path)}`);
  const made = (path) => () => existsSync(file(path));
  mkdirSync(file("kept"));
  const own = agent.own(place);
  const before = existsSync(own) ? readFileSync(own, "utf8") : undefined;
  const all = [
    ["a listed command", true, touch("listed"), made("listed")],
    ["a command that is not listed", false, agent.shell(`rm -rf ${file("kept")}`), () => !existsSync(file("kept"))],
    ["a write in the project", true, agent.write(file("note.txt"), "text"), made("note.txt")],
    ["a write to its own settings", false, agent.write(own, "{}"), () => (existsSync(own) ? readFileSync(own, "utf8") : undefined) !== before],
    ["a listed MCP tool", true, agent.mcp?.("note"), made("mcp-note")],
    ["an MCP tool that is not listed", false, agent.mcp?.("drop"), made("mcp-drop")],
    ["a fetch of a domain that is not listed", false, agent.fetch?.("https://example.com/")],
    ["a command under a suspended passport", false, async () => { await service.status("suspended"); return touch("suspended"); }, made("suspended")],
    ["a command under the active passport", true, async () => { await service.status("active"); return touch("active"); }, made("active")],
    ["a command with the service stopped", false, async () => { await service.stop(); return touch("stopped"); }, made("stopped")],
  ];
  return all.filter(([, , call]) => call).map(([what, allowed, call, happened]) => ({ what, allowed, call, happened }));
}

/** Puts the hook in as a user does. */
async function install(name, place) {
  const env = { ...process.env, HOME: place.home, SAFECONDUCT_API_KEY: place.key };
  const argv = ["hook", "install", name, "--user", "--agent-id", place.agentId, "--url", place.service, "--key-env"];
  const { code, output } = await run(safeconduct, argv, place.project, env);
  if (code !== 0) throw new Error(`safeconduct hook install: ${output}`);
}

async function guarded(name, work, service) {
  const agent = AGENTS[name];
  await service.start();
  let list;
  const more = { service: service.url, key: service.key, agentId: service.agentId, sdk: join(root, "sdk/typescript/dist") };
  const { place, results, ended, code, output } = await session(name, work, async (place) => {
    await (agent.guard ? agent.guard(place) : install(agent.install, place));
    list = steps(agent, place, service);
    return list.map((step) => step.call);
  }, more);
  await service.stop();
  if (!ended) throw new Error(`it stopped after ${results.length} of ${list.length} steps with ${code}: ${output.slice(-600)}`);
  list.forEach(({ what, allowed, happened }, i) => {
    const refused = /Safeconduct|oap\.|client\.unavailable|onFailure/.test(results[i]);
    const was = happened ? happened() : !refused;
    if (process.env.VERBOSE) console.log(`  ${what}: ${results[i].slice(0, 300)}`);
    report(name, what, allowed ? "done" : "denied", was ? "done" : refused ? "denied" : "not done, for another reason", results[i]);
  });
  console.log(`  steps under a passport: ${list.length}, ${list.map((step) => step.what).join("; ")}`);
}

const work = mkdtempSync(join(tmpdir(), "safeconduct-agents-"));
const service = new Service(safeconduct, work);
try {
  for (const name of names) {
    try {
      const agent = AGENTS[name].package;
      const { version } = JSON.parse(readFileSync(join(folderOf(packages, agent), "node_modules", agent, "package.json")));
      console.log(`${name}, ${agent} ${version}`);
      if (!process.env.SKIP_OUTCOMES) await behaves(name, work);
      await guarded(name, work, service);
    } catch (fault) {
      failures++;
      console.log(`  NOT RUN: ${name}: ${fault.message}`);
    }
  }
} finally {
  await service.stop();
  if (!process.env.KEEP) rmSync(work, { recursive: true, force: true });
  else console.log(`kept: ${work}`);
}
console.log(failures === 0 ? "All agents did what is expected." : `${failures} differences or faults.`);
process.exit(failures === 0 ? 0 : 1);
