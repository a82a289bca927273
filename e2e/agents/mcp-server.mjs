// An MCP server over stdio with the tools `note` and `drop`, which leave a file: the proof that a call arrived.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const folder = process.argv[2];
const tools = ["note", "drop"].map((name) => ({
  name,
  description: `Leaves the file mcp-${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
}));

function answer({ method, params }) {
  switch (method) {
    case "initialize":
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "trial", version: "1" } };
    case "tools/list":
      return { tools };
    case "tools/call":
      writeFileSync(join(folder, `mcp-${params.name}`), "");
      return { content: [{ type: "text", text: "noted" }] };
    case "ping":
      return {};
    default:
      return undefined;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.id === undefined) continue;
  const result = answer(request);
  const error = { code: -32601, message: "no such method" };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, ...(result ? { result } : { error }) })}\n`);
}
