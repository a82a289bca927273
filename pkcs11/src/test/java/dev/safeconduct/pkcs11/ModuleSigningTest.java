package dev.safeconduct.pkcs11;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services whose signing keys never leave a security module: SoftHSM of Debian. */
final class ModuleSigningTest {
  private static final String IN_MODULE =
      "is in a security module, and PKCS11_SIGNING does not use the module here";

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // set before each test
  private SoftHsm module;

  @BeforeEach
  void makeToken() throws Exception {
    module = SoftHsm.in(folder);
  }

  private Map<String, String> settings(String... more) {
    var settings = new HashMap<>(module.environment());
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    return settings;
  }

  private ServiceProcess start(String folderName, String... more) throws IOException {
    return ServiceProcess.start(folder.resolve(folderName), settings(more));
  }

  /** First start, rotation, restart, revocation, and the ways back out of the module. */
  @Test
  void everySignatureIsMadeInTheModule() throws Exception {
    String agent;
    String second;
    try (ServiceProcess service = start("data", "PKCS11_SIGNING", "all")) {
      agent = service.host();
      String first = service.signed(agent, folder);
      assertThat(module.holds(first)).isTrue();
      theCheckNoticesAnotherSignature();
      second = service.rotate("decision");
      assertThat(service.signed(agent, folder)).isEqualTo(second);
      assertThat(module.holds(first)).isTrue();
      assertThat(service.rotate("checkpoint")).contains(":checkpoint-");
      assertThat(atOnce(service, agent, 200)).containsOnly(200);
    }
    try (ServiceProcess service = start("data", "PKCS11_SIGNING", "all")) {
      assertThat(service.signed(agent, folder)).isEqualTo(second);
      assertThat(service.get("/api/audit/log/checkpoint").text().split("\u2014 ", -1))
          .as("the text, and two signatures")
          .hasSize(3);
      service.revoke(second);
      assertThat(module.holds(second)).isFalse();
      assertThat(service.signed(agent, folder)).isNotEqualTo(second);
      service.revoke(second); // once more, with nothing left to destroy
    }
    exports();
    ServiceProcess.Ended refused =
        ServiceProcess.refusedStart(folder.resolve("data"), settings("PKCS11_SIGNING", "none"));
    assertThat(refused.status()).isNotZero();
    assertThat(refused.said()).contains(IN_MODULE);
    keysNeverLeave();
    try (ServiceProcess service = start("data", "PKCS11_SIGNING", "existing")) {
      assertThat(module.holds(service.signed(agent, folder))).isTrue();
      assertThat(module.holds(service.rotate("decision"))).isFalse();
      assertThat(module.holds(service.signed(agent, folder))).isFalse();
    }
  }

  private void theCheckNoticesAnotherSignature() throws IOException, InterruptedException {
    String receipt = Files.readString(folder.resolve("decision.json"));
    Path altered =
        Files.writeString(
            folder.resolve("altered.json"), receipt.replace("\"allow\":true", "\"allow\":false"));
    assertThat(ServiceProcess.checked(altered, folder.resolve("jwks.json"))).contains("FAULT");
  }

  private static List<Integer> atOnce(ServiceProcess service, String agent, int count) {
    var asked = new ArrayList<CompletableFuture<Integer>>();
    for (int i = 0; i < count; i++) {
      asked.add(
          CompletableFuture.supplyAsync(
              () -> service.ask(agent).status(), task -> Thread.ofVirtual().start(task)));
    }
    return asked.stream().map(CompletableFuture::join).toList();
  }

  private void exports() throws IOException, InterruptedException {
    Path out = folder.resolve("log.ndjson");
    ServiceProcess.Ended export =
        ServiceProcess.command(
            settings("PKCS11_SIGNING", "all", "DATA_DIR", folder.resolve("data").toString()),
            "audit",
            "export",
            "--out",
            out.toString());
    assertThat(export.status()).as(export.said()).isZero();
    assertThat(
            ServiceProcess.checked(
                folder.resolve("log.ndjson.manifest"), folder.resolve("jwks.json")))
        .contains("ok: the manifest is signed")
        .doesNotContain("FAULT");
  }

  private void keysNeverLeave() throws IOException, InterruptedException {
    String keys = module.tool("--list-objects", "--type", "privkey");
    assertThat(count("never extractable", keys)).isEqualTo(count("oap:registry:", keys));
    assertThat(keys).contains("oap:registry:checkpoint-").doesNotContain("decrypt", "derive");
  }

  private static int count(String what, String text) {
    return text.split(Pattern.quote(what), -1).length - 1;
  }

  /** The module's key goes away under a service that runs, and one that starts. */
  @Test
  void aKeyThatIsLostStopsDecisionsUntilItIsRotated() throws Exception {
    String agent;
    try (ServiceProcess service = start("data", "PKCS11_SIGNING", "decision")) {
      agent = service.host();
      String kid = service.signed(agent, folder);
      assertThat(service.get("/readyz").status()).isEqualTo(200);
      for (String type : List.of("privkey", "pubkey")) {
        module.tool("--delete-object", "--type", type, "--id", kid.replaceAll(".*-", ""));
      }
      decidesNothing(service, agent);
    }
    try (ServiceProcess service = start("data", "PKCS11_SIGNING", "decision")) {
      decidesNothing(service, agent);
      // What needs no signature of that key goes on.
      assertThat(service.get("/jwks.json").status()).isEqualTo(200);
      String kid = service.rotate("decision");
      assertThat(service.signed(agent, folder)).isEqualTo(kid);
      assertThat(service.get("/readyz").status()).isEqualTo(200);
    }
  }

  private static void decidesNothing(ServiceProcess service, String agent) {
    ServiceProcess.Answer refused = service.ask(agent);
    assertThat(refused.status()).as(refused.text()).isEqualTo(503);
    assertThat(refused.text()).contains("\"allow\":false").doesNotContain("signature");
    assertThat(refused.retryAfter()).isTrue();
    ServiceProcess.Answer batch = service.askInBatch(agent);
    assertThat(batch.status()).as(batch.text()).isEqualTo(200);
    assertThat(batch.text())
        .contains("\"status_code\":503", "\"retry_after\":")
        .doesNotContain("signature");
    ServiceProcess.Answer ready = service.get("/readyz");
    assertThat(ready.status()).isEqualTo(503);
    assertThat(ready.text()).contains("signing");
  }

  /** An installation moves to the module key by key; a node that cannot follow does not sign. */
  @Test
  void nodesShareTheModule() throws Exception {
    try (Postgres postgres = Postgres.start()) {
      String[] shared = {"DATABASE_URL", postgres.url()};
      String[] inModule = {
        "DATABASE_URL", postgres.url(), "PKCS11_SIGNING", "decision,decision_token"
      };
      try (ServiceProcess first = start("one", shared)) {
        String agent = first.host();
        String early = first.signed(agent, folder);
        assertThat(module.holds(early)).isFalse();
        try (ServiceProcess second = start("two", inModule)) {
          assertThat(second.signed(agent, folder)).as("until rotated").isEqualTo(early);
          String kid = second.rotate("decision");
          assertThat(module.holds(kid)).isTrue();
          assertThat(second.signed(agent, folder)).isEqualTo(kid);
          ServiceProcess.Answer other = first.ask(agent);
          assertThat(other.status()).as(other.text()).isEqualTo(503);
          try (ServiceProcess third = start("three", inModule)) {
            assertThat(third.signed(agent, folder)).isEqualTo(kid);
            String next = third.rotate("decision");
            assertThat(second.signed(agent, folder)).isEqualTo(next);
            third.revoke(next);
            assertThat(module.holds(next)).isFalse();
            assertThat(third.signed(agent, folder)).isNotEqualTo(next);
          }
        }
      }
      ServiceProcess.Ended refused =
          ServiceProcess.refusedStart(folder.resolve("one"), settings(shared));
      assertThat(refused.status()).isNotZero();
      assertThat(refused.said()).contains("PKCS11_SIGNING does not use the module here");
    }
  }
}
