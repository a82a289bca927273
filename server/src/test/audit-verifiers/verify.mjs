// Asks public libraries about what the service answered: the file that is named holds the answers,
// and what the libraries say is printed as a JSON object. Run where node_modules holds them.
import { createRequire } from "node:module";
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const here = join(process.cwd(), "package.json");
const require = createRequire(here);
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const jose = await load("jose");
const canonicalize = (await load("canonicalize")).default;
const { RFC9162 } = await load("@transmute/rfc9162");

const given = JSON.parse(readFileSync(process.argv[2], "utf8"));
const said = {};
const tried = async (name, check) => {
  try {
    said[name] = (await check()) ? "accepted" : "refused";
  } catch (error) {
    said[name] = "refused";
  }
};
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));

const keySet = jose.createLocalJWKSet(given.jwks);
for (const [name, { token, audience, context }] of Object.entries(given.tokens)) {
  await tried(name, async () => {
    const { payload } = await jose.jwtVerify(token, keySet, {
      algorithms: ["EdDSA"],
      typ: "decision+jwt",
      issuer: given.issuer,
      audience,
      requiredClaims: ["exp", "iat", "context_digest"],
    });
    const digest = createHash("sha256").update(canonicalize(context)).digest("hex");
    return payload.allow === true && payload.context_digest === `sha256:${digest}`;
  });
}
for (const [name, decision] of Object.entries(given.decisions)) {
  await tried(name, () => {
    const { signature, log_index, ...signed } = decision;
    const jwk = given.jwks.keys.find((key) => key.kid === decision.kid);
    const { kty, crv, x } = jwk;
    return verify(
      null,
      Buffer.from(canonicalize(signed)),
      createPublicKey({ key: { kty, crv, x }, format: "jwk" }),
      Buffer.from(signature.replace("ed25519:", ""), "base64"),
    );
  });
}
for (const [name, proof] of Object.entries(given.inclusion)) {
  await tried(name, () =>
    RFC9162.verifyInclusionProof(bytes(proof.root), bytes(proof.leaf_hash), {
      log_id: "",
      tree_size: proof.tree_size,
      leaf_index: proof.index,
      inclusion_path: proof.inclusion_path.map(bytes),
    }),
  );
}
for (const [name, proof] of Object.entries(given.consistency)) {
  await tried(name, () => {
    const path = proof.consistency_path.map(bytes);
    // Step 2 of RFC 9162 section 2.1.4.2, which the library leaves to its caller.
    if (Number.isInteger(Math.log2(proof.from))) {
      path.unshift(bytes(proof.from_root));
    }
    return RFC9162.verifyConsistencyProof(bytes(proof.from_root), bytes(proof.to_root), {
      log_id: "",
      tree_size_1: proof.from,
      tree_size_2: proof.to,
      consistency_path: path,
    });
  });
}
console.log(JSON.stringify(said));
