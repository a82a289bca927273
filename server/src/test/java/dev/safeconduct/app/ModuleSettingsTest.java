package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.signing.ModuleFault;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a security module before it is asked for anything. */
final class ModuleSettingsTest {
  @TempDir Path folder;

  @Test
  void aStartWithoutTheModulesJarIsRefused() {
    ServerConfig config =
        ServerConfig.from(
            new Env(
                Map.of(
                    "PORT", "0",
                    "DATA_DIR", folder.toString(),
                    "PKCS11_CONFIG", "pkcs11.cfg",
                    "PKCS11_PIN", "1234")));
    assertThatThrownBy(() -> Application.start(config, InstantSource.system()))
        .isInstanceOf(ModuleFault.class)
        .hasMessage(
            "PKCS11_CONFIG is set, and safeconduct-pkcs11.jar is not on the class path. Put it"
                + " beside safeconduct.jar and start with bin/safeconduct.");
  }

  @Test
  void settingsThatContradictAreRefused() {
    assertThatThrownBy(() ->
            ServerConfig.from(
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
      variables.put("PKCS11_PIN", "1234");
    }
    String said;
    try {
      said = ServerConfig.from(new Env(variables)).storage().keys().moduleSigning().toString();
    } catch (ConfigFault e) {
      said = e.getMessage();
    }
    assertThat(said).contains(shown);
  }
}
