package dev.safeconduct;

import static dev.safeconduct.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.testkit.SoftHsm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A service whose master key is in a security module. */
final class Pkcs11Test {
  @TempDir Path folder;

  @Test
  void theMasterKeyNeverLeavesTheModule() throws Exception {
    SoftHsm module = SoftHsm.in(folder);
    String config = module.config().toString();
    Map<String, String> settings = Map.of("PKCS11_CONFIG", config, "PKCS11_PIN", SoftHsm.PIN);
    String first = served(module, settings);
    assertThat(first).startsWith("0\n").contains("allowed true");
    assertThat(folder.resolve("data/master.key")).doesNotExist();
    // The same keys open again, and with another key of the module they do not.
    assertThat(served(module, settings)).startsWith("0\n").contains("allowed true");
    Map<String, String> wrongPin = Map.of("PKCS11_CONFIG", config, "PKCS11_PIN", "0000");
    assertThat(served(module, wrongPin))
        .doesNotStartWith("0\n")
        .contains("CKR_PIN_INCORRECT")
        .doesNotContain("allowed");
    Map<String, String> noKey =
        Map.of("PKCS11_CONFIG", config, "PKCS11_PIN", SoftHsm.PIN, "PKCS11_KEY", "other");
    assertThat(served(module, noKey)).contains("no key named other").doesNotContain("allowed");
  }

  private String served(SoftHsm module, Map<String, String> settings)
      throws IOException, InterruptedException {
    return module.java(settings, Asked.class, folder.resolve("data").toString());
  }

  /** Serves, asks one question, and ends. */
  static final class Asked {
    private Asked() {}

    public static void main(String[] args) throws IOException {
      try (TestService service =
          TestService.start(
              Files.createDirectories(Path.of(args[0])), Map.copyOf(System.getenv()))) {
        String agent =
            service
                .admin()
                .post("/api/passports", Questions.passport(Questions.freshAgent(), 5))
                .string("agent_id");
        System.out.println(
            "allowed "
                + service
                    .admin()
                    .post(COMMAND, Questions.command(agent, "ls"))
                    .json()
                    .isTrue("allow"));
      }
    }
  }

  @Test
  void settingsThatContradictAreRefused() {
    assertThatThrownBy(() ->
            ServiceConfig.from(
                new Env(
                    Map.of(
                        "PKCS11_CONFIG", "x",
                        "SAFECONDUCT_MASTER_KEY", "a master key of the tests, long enough"))))
        .hasMessageContaining("PKCS11_CONFIG")
        .hasMessageContaining("PKCS11_PIN");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "none|x|none",
        "''||none",
        "existing|x|existing",
        "all|x|decision, decision_token, session, checkpoint, passport, metadata",
        "checkpoint, decision|x|decision, checkpoint",
        "all||PKCS11_SIGNING needs PKCS11_CONFIG",
        "decision, all|x|not all",
        "decisions,chekpoint|x|not decisions",
        "decisions,chekpoint|x|not chekpoint"
      })
  void whatTheModuleSignsIsSaidInWords(String signing, @Nullable String config, String shown) {
    var variables = new HashMap<>(Map.of("PKCS11_SIGNING", signing));
    if (config != null) {
      variables.put("PKCS11_CONFIG", config);
      variables.put("PKCS11_PIN", SoftHsm.PIN);
    }
    String said;
    try {
      said = ServiceConfig.from(new Env(variables)).moduleSigning().toString();
    } catch (ConfigFault e) {
      said = e.getMessage();
    }
    assertThat(said).contains(shown);
  }
}
