// Receives status changes from Safeconduct. Needs Node.js 18 or newer and no packages.
//
//   WEBHOOK_SECRET=… PORT=9000 node receiver.mjs
//
// While a secret is being changed, give both with a space between.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const MAX_BODY = 64 * 1024;
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(" ").filter(Boolean);
if (secrets.length === 0) {
  console.error("Set WEBHOOK_SECRET.");
  process.exit(2);
}
const seen = new Set(); // keep these where they outlive the process

/** Whether one of our secrets made the signature over exactly these bytes. */
function isSigned(body, signature) {
  return secrets.some((secret) => {
    const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
    const given = Buffer.from(signature ?? "");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function handle(event) {
  console.log(`${event.agent_id}: ${event.previous_status} -> ${event.status}`);
}

const server = createServer((request, response) => {
  const chunks = [];
  let size = 0;
  request.on("data", (chunk) => {
    size += chunk.length;
    if (size > MAX_BODY) {
      response.writeHead(413, { Connection: "close" }).end();
      request.destroy();
    } else {
      chunks.push(chunk);
    }
  });
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    if (request.method !== "POST") {
      response.writeHead(405, { Allow: "POST" }).end();
    } else if (!isSigned(body, request.headers["x-webhook-signature"])) {
      response.writeHead(401).end();
    } else {
      const id = request.headers["x-webhook-id"];
      if (!seen.has(id)) {
        seen.add(id); // a retry may bring an event a second time
        handle(JSON.parse(body));
      }
      response.writeHead(204).end();
    }
  });
});
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => {
  console.log(`listening on ${server.address().port}`);
});
