// A hook that behaves as the case in its input says; the cases are the outcomes of behaviour.json.
import { readFileSync } from "node:fs";

const input = readFileSync(0, "utf8");
const { outcomes } = JSON.parse(readFileSync(new URL("behaviour.json", import.meta.url)));
const outcome = outcomes[/case:([a-z0-9-]+)/.exec(input)?.[1]] ?? {};
const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
if (outcome.stderr) process.stderr.write(outcome.stderr);
if (outcome.stdout !== undefined) process.stdout.write(text(outcome.stdout));
if (outcome.signal) process.kill(process.pid, outcome.signal);
if (outcome.late) await new Promise((resolve) => setTimeout(resolve, 6000));
process.exitCode = outcome.exit ?? 0;
