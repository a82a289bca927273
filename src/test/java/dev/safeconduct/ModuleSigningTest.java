package dev.safeconduct;

import static dev.safeconduct.Batches.BATCH;
import static dev.safeconduct.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.Env;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.PostgresServer;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.SoftHsm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Services whose signing keys never leave a security module: SoftHSM of Debian. */
final class ModuleSigningTest {
  @TempDir Path folder;

  private String run(SoftHsm module, Class<?> life, Map<String, String> more) throws Exception {
    var settings = new HashMap<>(more);
    settings.put("PKCS11_CONFIG", module.config().toString());
    settings.put("PKCS11_PIN", SoftHsm.PIN);
    return module.java(settings, life, folder.toString());
  }

  @Test
  void everySignatureIsMadeInTheModule() throws Exception {
    SoftHsm module = SoftHsm.in(folder);
    assertThat(run(module, OneNode.class, Map.of("PKCS11_SIGNING", "all")))
        .startsWith("0\n")
        .contains("lived")
        .doesNotContain(SoftHsm.PIN);
    String keys = module.tool("--list-objects", "--type", "privkey");
    assertThat(count("never extractable", keys)).isEqualTo(count("oap:registry:", keys));
    assertThat(keys).contains("oap:registry:checkpoint-").doesNotContain("decrypt", "derive");
  }

  @Test
  void aKeyThatIsLostStopsDecisionsUntilItIsRotated() throws Exception {
    assertThat(run(SoftHsm.in(folder), Lost.class, Map.of("PKCS11_SIGNING", "decision")))
        .startsWith("0\n")
        .contains("lived");
  }

  @Test
  void nodesShareTheModule() throws Exception {
    String database = PostgresServer.shared().freshDatabase();
    assertThat(run(SoftHsm.in(folder), TwoNodes.class, Map.of("DATABASE_URL", database)))
        .startsWith("0\n")
        .contains("lived");
  }

  private static int count(String what, String text) {
    return text.split(Pattern.quote(what), -1).length - 1;
  }

  private static String decided(TestService service, Path folder, String agent) throws Exception {
    Reply decision = service.admin().post(COMMAND, Questions.command(agent, "ls"));
    assertThat(decision.status()).as(decision.toString()).isEqualTo(200);
    Path receipt = Files.write(folder.resolve("decision.json"), decision.body());
    Path keys = Files.write(folder.resolve("jwks.json"), service.nobody().get("/jwks.json").body());
    assertThat(checked(receipt, keys)).contains("ok:").doesNotContain("FAULT");
    // The check notices another signature.
    Files.writeString(receipt, decision.text().replace("\"allow\":true", "\"allow\":false"));
    assertThat(checked(receipt, keys)).contains("FAULT");
    return decision.string("kid");
  }

  private static String checked(Path file, Path keys) {
    var text = new StringWriter();
    new CommandLine(new VerifyReceiptCommand(() -> new PrintWriter(text)))
        .execute(file.toString(), "--keys", keys.toString());
    return text.toString();
  }

  private static void hosted(TestService service, String agent) {
    assertThat(service.admin().post("/api/passports", Questions.passport(agent, 5)).status())
        .isEqualTo(201);
  }

  private static String rotated(TestService service, String purpose) {
    Reply reply =
        service
            .admin()
            .post(
                "/api/admin/signing-keys/rotate",
                JsonObject.builder().put("purpose", purpose).build());
    assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
    return reply.string("kid");
  }

  private static void revoke(TestService service, String kid) {
    assertThat(
            service
                .admin()
                .post("/api/admin/signing-keys/" + kid + "/revoke", "{\"reason\": \"It leaked.\"}")
                .status())
        .isEqualTo(200);
  }

  /** As {@code pkcs11-tool} lists it: the end of its {@code kid} is its {@code CKA_ID}. */
  private static boolean holds(SoftHsm module, String kid) throws Exception {
    String listed = module.tool("--list-objects");
    Matcher id = Pattern.compile("ID: +" + kid.replaceAll(".*-", "")).matcher(listed);
    assertThat(id.find()).isEqualTo(listed.contains(kid));
    return listed.contains(kid);
  }

  private static Map<String, String> settings(String... more) {
    var settings = new HashMap<>(System.getenv());
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    return settings;
  }

  /** First start, rotation, restart, revocation, and the ways back out of the module. */
  static final class OneNode {
    private OneNode() {}

    public static void main(String[] args) throws Exception {
      Path folder = Path.of(args[0]);
      SoftHsm module = SoftHsm.made(folder);
      Path data = Files.createDirectories(folder.resolve("data"));
      String agent = Questions.freshAgent();
      String second;
      try (TestService service = TestService.start(data, settings())) {
        hosted(service, agent);
        String first = decided(service, folder, agent);
        assertThat(holds(module, first)).isTrue();
        second = rotated(service, "decision");
        assertThat(decided(service, folder, agent)).isEqualTo(second);
        assertThat(holds(module, first)).isTrue();
        assertThat(rotated(service, "checkpoint")).contains(":checkpoint-");
        JsonObject question = Questions.command(agent, "ls");
        assertThat(AtOnce.run(200, _ -> service.admin().post(COMMAND, question).status()))
            .containsOnly(200);
      }
      try (TestService service = TestService.start(data, settings())) {
        assertThat(decided(service, folder, agent)).isEqualTo(second);
        assertThat(service.nobody().get("/api/audit/log/checkpoint").text().split("\u2014 ", -1))
            .as("the text, and two signatures")
            .hasSize(3);
        revoke(service, second);
        assertThat(holds(module, second)).isFalse();
        assertThat(decided(service, folder, agent)).isNotEqualTo(second);
        revoke(service, second); // once more, with nothing left to destroy
      }
      assertThat(exported(folder, settings("DATA_DIR", data.toString()))).isZero();
      assertThat(checked(folder.resolve("log.ndjson.manifest"), folder.resolve("jwks.json")))
          .contains("ok: the manifest is signed")
          .doesNotContain("FAULT");
      assertThatThrownBy(() -> TestService.start(data, settings("PKCS11_SIGNING", "none")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is in a security module, and PKCS11_SIGNING is none here");
      try (TestService service = TestService.start(data, settings("PKCS11_SIGNING", "existing"))) {
        assertThat(holds(module, decided(service, folder, agent))).isTrue();
        assertThat(holds(module, rotated(service, "decision"))).isFalse();
        assertThat(holds(module, decided(service, folder, agent))).isFalse();
      }
      System.out.println("lived");
    }

    private static int exported(Path folder, Map<String, String> settings) {
      return new CommandLine(new ExportCommand(() -> new Env(settings)))
          .execute("--out", folder.resolve("log.ndjson").toString());
    }
  }

  /** The module's key goes away under a service that runs, and one that starts. */
  static final class Lost {
    private Lost() {}

    public static void main(String[] args) throws Exception {
      Path folder = Path.of(args[0]);
      SoftHsm module = SoftHsm.made(folder);
      Path data = Files.createDirectories(folder.resolve("data"));
      String agent = Questions.freshAgent();
      try (TestService service = TestService.start(data, settings())) {
        hosted(service, agent);
        String kid = decided(service, folder, agent);
        assertThat(service.nobody().get("/readyz").status()).isEqualTo(200);
        for (String type : new String[] {"privkey", "pubkey"}) {
          module.tool("--delete-object", "--type", type, "--id", kid.replaceAll(".*-", ""));
        }
        denied(service, agent);
      }
      try (TestService service = TestService.start(data, settings())) {
        denied(service, agent);
        // What needs no signature of that key goes on.
        assertThat(service.nobody().get("/jwks.json").status()).isEqualTo(200);
        String kid = rotated(service, "decision");
        assertThat(decided(service, folder, agent)).isEqualTo(kid);
        assertThat(service.nobody().get("/readyz").status()).isEqualTo(200);
      }
      System.out.println("lived");
    }

    private static void denied(TestService service, String agent) {
      Reply refused = service.admin().post(COMMAND, Questions.command(agent, "ls"));
      assertThat(refused.status()).as(refused.toString()).isEqualTo(503);
      assertThat(refused.text()).contains("\"allow\":false").doesNotContain("signature");
      assertThat(refused.header("Retry-After")).isPresent();
      Reply batch = service.admin().post(BATCH, Batches.of(Batches.command(agent, "ls")));
      assertThat(Batches.outcomes(Batches.decisions(batch))).containsExactly("503");
      assertThat(batch.text()).contains("\"retry_after\":").doesNotContain("signature");
      Reply ready = service.nobody().get("/readyz");
      assertThat(ready.status()).isEqualTo(503);
      assertThat(ready.text()).contains("signing");
    }
  }

  /** An installation moves to the module key by key; a node that cannot follow does not sign. */
  static final class TwoNodes {
    private TwoNodes() {}

    public static void main(String[] args) throws Exception {
      Path folder = Path.of(args[0]);
      SoftHsm module = SoftHsm.made(folder);
      Path one = Files.createDirectories(folder.resolve("one"));
      Path two = Files.createDirectories(folder.resolve("two"));
      Map<String, String> inModule = settings("PKCS11_SIGNING", "decision,decision_token");
      try (TestService first = TestService.start(one, settings())) {
        String agent = Questions.freshAgent();
        hosted(first, agent);
        String early = decided(first, folder, agent);
        assertThat(holds(module, early)).isFalse();
        try (TestService second = TestService.start(two, inModule)) {
          assertThat(decided(second, folder, agent)).as("until rotated").isEqualTo(early);
          String kid = rotated(second, "decision");
          assertThat(holds(module, kid)).isTrue();
          assertThat(decided(second, folder, agent)).isEqualTo(kid);
          Reply other = first.admin().post(COMMAND, Questions.command(agent, "ls"));
          assertThat(other.status()).as(other.toString()).isEqualTo(500);
          try (TestService third =
              TestService.start(Files.createDirectories(folder.resolve("three")), inModule)) {
            assertThat(decided(third, folder, agent)).isEqualTo(kid);
            String next = rotated(third, "decision");
            assertThat(decided(second, folder, agent)).isEqualTo(next);
            revoke(third, next);
            assertThat(holds(module, next)).isFalse();
            assertThat(decided(third, folder, agent)).isNotEqualTo(next);
          }
        }
      }
      assertThatThrownBy(() -> TestService.start(one, settings()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("PKCS11_SIGNING is none here");
      System.out.println("lived");
    }
  }
}
