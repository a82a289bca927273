package dev.safeconduct.pkcs11;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service whose master key is in a security module. */
final class MasterKeyInModuleTest {
  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // set before each test
  private SoftHsm module;

  @BeforeEach
  void makeToken() throws Exception {
    module = SoftHsm.in(folder);
  }

  private Path data() {
    return folder.resolve("data");
  }

  private void allows() throws IOException {
    try (ServiceProcess service = ServiceProcess.start(data(), module.environment())) {
      assertThat(service.ask(service.host()).json().isTrue("allow")).isTrue();
    }
  }

  private Map<String, String> with(String name, String value) {
    var settings = new HashMap<>(module.environment());
    settings.put(name, value);
    return settings;
  }

  @Test
  void theMasterKeyNeverLeavesTheModule() throws Exception {
    allows();
    assertThat(data().resolve("master.key")).doesNotExist();
    // The same keys open again, and by another key of the module they do not.
    allows();
    ServiceProcess.Ended noKey = ServiceProcess.refusedStart(data(), with("PKCS11_KEY", "other"));
    assertThat(noKey.status()).isNotZero();
    assertThat(noKey.said()).contains("no key named other");
  }

  @Test
  void aStartWithAWrongPinIsRefused() throws Exception {
    ServiceProcess.Ended wrongPin = ServiceProcess.refusedStart(data(), with("PKCS11_PIN", "0000"));
    assertThat(wrongPin.status()).isNotZero();
    assertThat(wrongPin.said()).contains("CKR_PIN_INCORRECT");
  }

  @Test
  void aStartWithoutItsConfigurationFileIsRefused() throws Exception {
    ServiceProcess.Ended noFile =
        ServiceProcess.refusedStart(
            data(), with("PKCS11_CONFIG", folder.resolve("none.cfg").toString()));
    assertThat(noFile.status()).isNotZero();
    assertThat(noFile.said()).contains("none.cfg (No such file or directory)");
  }

  /** The file of settings may name the module too. */
  @Test
  void theModuleMayBeNamedInTheFileOfSettings() throws Exception {
    var settings = new HashMap<>(module.environment());
    settings.remove("PKCS11_CONFIG");
    settings.put(
        "CONFIG_FILE",
        Files.writeString(
                folder.resolve("settings.yaml"), "PKCS11_CONFIG: " + module.config() + "\n")
            .toString());
    try (ServiceProcess service = ServiceProcess.start(data(), settings)) {
      assertThat(service.get("/readyz").status()).isEqualTo(200);
    }
    assertThat(data().resolve("master.key")).doesNotExist();
  }
}
