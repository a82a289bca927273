// Asks both public verifiers about each delivery in the file that is named, and prints what they
// say as a JSON array of "accepted" and "refused". Run where node_modules holds them.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const verifiers = [require("standardwebhooks").Webhook, require("svix").Webhook];

const verdicts = [];
for (const { secret, id, timestamp, signature, body } of JSON.parse(readFileSync(process.argv[2]))) {
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
  };
  for (const Webhook of verifiers) {
    try {
      new Webhook(secret).verify(body, headers);
      verdicts.push("accepted");
    } catch (error) {
      if (error.name !== "WebhookVerificationError") {
        throw error;
      }
      verdicts.push("refused");
    }
  }
}
console.log(JSON.stringify(verdicts));
