// Installs the agents that are missing, each into a folder of its own, and says so before.
// usage: install.mjs FOLDER AGENT…
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AGENTS, folderOf } from "./agents.mjs";

const [folder, ...names] = process.argv.slice(2);
const versions = JSON.parse(readFileSync(new URL("package.json", import.meta.url))).dependencies;

function installed(place, name) {
  try {
    return JSON.parse(readFileSync(join(place, "node_modules", name, "package.json"))).version === versions[name];
  } catch {
    return false;
  }
}

const wanted = new Map();
for (const name of names) {
  const { package: agent, node } = AGENTS[name];
  const place = folderOf(folder, agent);
  const packages = node ? [agent, node] : [agent];
  if (!packages.every((each) => installed(place, each))) wanted.set(place, packages.map((each) => `${each}@${versions[each]}`));
}
if (wanted.size > 0) console.log(`These npm packages are missing and will be installed into ${folder}; all agents take 2.5 GB:`);
for (const packages of wanted.values()) console.log(`  ${packages.join(", ")}`);
for (const [place, packages] of wanted) {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ private: true }));
  const options = ["--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { status, stderr } = spawnSync("npm", ["install", ...options, ...packages], { cwd: place, encoding: "utf8" });
  if (status !== 0) console.log(`NOT INSTALLED: ${packages.join(", ")}: ${stderr.trim()}`);
}
