// Asks as clients on Node.js do: fetch, a base address that ends in a slash, a content type on GET.
const [base, key, agent] = process.argv.slice(2);
const policy = "/api/verify/policy/system.command.execute.v1";
const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };

async function ask(method, path, body) {
  const response = await fetch(base + path, {
    method,
    headers,
    body,
    signal: AbortSignal.timeout(30_000),
    redirect: "error",
  });
  const text = await response.text();
  return { status: response.status, json: text === "" ? null : JSON.parse(text) };
}

const question = (command) => JSON.stringify({ context: { agent_id: agent, command } });
const answers = [];
for (const [name, method, path, body] of [
  ["allow", "POST", policy, question("git")],
  ["deny", "POST", policy, question("curl")],
  ["utf-8", "POST", policy, question("git commit -m '🎉'")],
  ["empty", "POST", policy, ""],
  ["view", "GET", `/api/verify/${agent}`],
  ["keys", "GET", "/jwks.json"],
  ["unknown", "DELETE", "/api/webhooks/wh_unknown"],
]) {
  const { status, json } = await ask(method, path, body);
  const decision = json.decision ?? json;
  answers.push([name, status, decision.allow ?? null, json.agent_id ?? null]);
}
// Many at once over kept connections.
const many = await Promise.all(
  Array.from({ length: 50 }, () => ask("POST", policy, question("git"))),
);
answers.push(["many", 200, many.every((one) => one.json.decision.allow === true), null]);
console.log(JSON.stringify(answers));
