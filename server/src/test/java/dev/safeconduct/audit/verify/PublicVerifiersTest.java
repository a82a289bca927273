package dev.safeconduct.audit.verify;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.SignedNote;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What we sign and prove is accepted by libraries others wrote (jose, canonicalize, RFC 9162 in
 * JavaScript, OpenSSL), and refused by them when it was altered.
 */
final class PublicVerifiersTest {
  private static final Path VERIFIERS = Path.of("target/audit-verifiers");

  @TempDir Path folder;

  private static JsonObject asked(String agent) {
    return Questions.command(agent, "git log --grep 'caf\u00e9 \u20ac'");
  }

  @Test
  void librariesOfOthersAgree() throws Exception {
    try (TestService service = TestService.start()) {
      String agent = Questions.hosted(service, 5);
      JsonObject question = asked(agent);
      Reply issued = service.owner().post("/api/verify/token/system.command.execute.v1", question);
      JsonObject decision = issued.json().object("decision").orElseThrow();
      String id = decision.string("decision_id").orElseThrow();
      JsonObject token = token(issued.string("token"), service.org(), question);
      JsonObject.Builder consistency = JsonObject.builder();
      long size = 0;
      for (int i = 0; i < 20; i++) {
        service.owner().post(COMMAND, question);
        size = Questions.newestRecord(service) + 1;
      }
      for (long from = 1; from < size; from++) {
        JsonObject proof =
            service.owner().get("/api/audit/consistency?from=" + from + "&to=" + size).json();
        consistency.put("consistent " + from, proof);
        consistency.put(
            "inconsistent " + from,
            proof.with(
                "to_root",
                proof.get("from_root") instanceof JsonString root ? root : new JsonString("")));
      }
      JsonObject proof = rooted(service.owner().get("/api/audit/" + id + "/proof").json());
      JsonObject given =
          JsonObject.builder()
              .put(
                  "issuer",
                  service
                      .nobody()
                      .get("/.well-known/authzen-configuration")
                      .string("policy_decision_point"))
              .put("jwks", service.nobody().get("/jwks.json").json())
              .put(
                  "tokens",
                  JsonObject.builder()
                      .put("good token", token)
                      .put("token of another organization", token.with("audience", text("org_x")))
                      .put(
                          "token for another action",
                          token.with("context", JsonObject.builder().put("a", 1L).build()))
                      .put("altered token", token.with("token", text(altered(token))))
                      .build())
              .put(
                  "decisions",
                  JsonObject.builder()
                      .put("good decision", decision)
                      .put("altered decision", decision.with("agent_id", text("ap_else")))
                      .build())
              .put(
                  "inclusion",
                  JsonObject.builder()
                      .put("included", proof)
                      .put("included elsewhere", proof.with("index", new JsonNumber(0)))
                      .build())
              .put("consistency", consistency.build())
              .build();
      Map<String, String> said = say(given);
      assertThat(said).hasSizeGreaterThan(8);
      said.forEach((name, verdict) ->
          assertThat(verdict)
              .as(name)
              .isEqualTo(
                  name.startsWith("good") || name.startsWith("cons") || name.equals("included")
                      ? "accepted"
                      : "refused"));
    }
  }

  private static JsonObject token(String token, String audience, JsonObject question) {
    return JsonObject.builder()
        .put("token", token)
        .put("audience", audience)
        .put("context", question.object("context").orElseThrow())
        .build();
  }

  private static String altered(JsonObject token) {
    String text = token.string("token").orElseThrow();
    int middle = text.indexOf('.') + 20;
    char other = text.charAt(middle) == 'A' ? 'B' : 'A';
    return text.substring(0, middle) + other + text.substring(middle + 1);
  }

  private static JsonString text(String text) {
    return new JsonString(text);
  }

  /** The proof with its checkpoint's root as hex. */
  private static JsonObject rooted(JsonObject proof) {
    Checkpoint checkpoint =
        SignedNote.parse(proof.string("checkpoint").orElseThrow())
            .map(SignedNote::text)
            .flatMap(Checkpoint::parse)
            .orElseThrow();
    return proof.with("root", text(HexFormat.of().formatHex(checkpoint.root())));
  }

  private Map<String, String> say(JsonObject given) throws Exception {
    assertThat(VERIFIERS.resolve("node_modules/jose"))
        .as("the verifiers; bin/test-prerequisites installs them")
        .isDirectory();
    Path in = Files.writeString(folder.resolve("given.json"), Json.text(given));
    Path script = Path.of("server/src/test/audit-verifiers/verify.mjs").toAbsolutePath();
    Process node =
        new ProcessBuilder("node", script.toString(), in.toString())
            .directory(VERIFIERS.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(node.waitFor()).as(said).isZero();
    var verdicts = new java.util.TreeMap<String, String>();
    Json.parseObject(said.getBytes(StandardCharsets.UTF_8))
        .forEach((name, verdict) ->
            verdicts.put(name, verdict instanceof JsonString(String s) ? s : ""));
    return verdicts;
  }

  @Test
  void opensslChecksADecision() throws Exception {
    try (TestService service = TestService.start()) {
      String agent = Questions.hosted(service, 5);
      JsonObject decision =
          service.owner().post(COMMAND, asked(agent)).json().object("decision").orElseThrow();
      byte[] key = new byte[0];
      for (JsonValue each : service.nobody().get("/jwks.json").json().array("keys").orElseThrow()) {
        if (((JsonObject) each).string("kid").equals(decision.string("kid"))) {
          key = Base64.getUrlDecoder().decode(((JsonObject) each).string("x").orElseThrow());
        }
      }
      String der = "302a300506032b6570032100" + HexFormat.of().formatHex(key);
      Files.write(folder.resolve("key.der"), HexFormat.of().parseHex(der));
      String signature = decision.string("signature").orElseThrow().substring("ed25519:".length());
      Files.write(folder.resolve("signature"), Base64.getDecoder().decode(signature));
      byte[] signed = CanonicalJson.bytes(decision.without("signature").without("log_index"));
      Files.write(folder.resolve("signed"), signed);
      assertThat(openssl()).isZero();
      signed[signed.length / 2] ^= 1;
      Files.write(folder.resolve("signed"), signed);
      assertThat(openssl()).isNotZero();
    }
  }

  private int openssl() throws Exception {
    List<String> command =
        List.of(
            "openssl",
            "pkeyutl",
            "-verify",
            "-pubin",
            "-keyform",
            "DER",
            "-inkey",
            "key.der",
            "-rawin",
            "-in",
            "signed",
            "-sigfile",
            "signature");
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor();
  }
}
