package dev.safeconduct.pkcs11;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.signing.ModuleFault;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What becomes of sessions with a module that ends them, and of a PIN that it refuses. */
final class ModuleSessionsTest {
  private static final byte[] ID = {7, 7};
  private static final byte[] MESSAGE = "message".getBytes(StandardCharsets.US_ASCII);

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static SoftHsm locked;

  @SuppressWarnings("NullAway.Init")
  private static SoftHsm open;

  @BeforeAll
  static void makeTokens() throws Exception {
    locked = SoftHsm.inThisProcess("locked");
    open = SoftHsm.inThisProcess("open");
  }

  @Test
  void aRefusedPinIsNotTriedAgain() throws ModuleFault {
    assertThatThrownBy(() -> SecurityModule.open(locked.config(), "0000"))
        .isInstanceOf(ModuleFault.class)
        .hasMessageContaining("CKR_PIN_INCORRECT")
        .hasMessageNotContaining("0000");
    try (SecurityModule refused = SecurityModule.at(locked.config(), "0000")) {
      assertThatThrownBy(() -> refused.sign(ID, MESSAGE))
          .hasMessage("C_Login answered CKR_PIN_INCORRECT");
      assertThatThrownBy(() -> refused.sign(ID, MESSAGE))
          .hasMessageContaining("the PIN is not tried again");
    }
  }

  @Test
  void brokenSessionsAreReplaced() throws ModuleFault {
    try (SecurityModule module = SecurityModule.open(open.config(), SoftHsm.PIN)) {
      assertThat(module.generate(ID, "of the tests")).hasSize(32);
      assertThatThrownBy(() -> module.generate(ID, "of the tests"))
          .hasMessageContaining("it has a key of the id 0707");
      byte[] signature = module.sign(ID, MESSAGE);
      endSessions();
      assertThat(module.sign(ID, MESSAGE)).isEqualTo(signature);
      var all = new ArrayList<CompletableFuture<byte[]>>();
      for (int i = 0; i < 50; i++) {
        all.add(
            CompletableFuture.supplyAsync(
                () -> signed(module), task -> Thread.ofVirtual().start(task)));
      }
      assertThat(all).extracting(CompletableFuture::join).containsOnly(signature);
    }
    try (SecurityModule module = SecurityModule.open(open.config(), SoftHsm.PIN)) {
      module.destroy(ID);
      module.destroy(ID);
      assertThatThrownBy(() -> module.sign(ID, MESSAGE)).hasMessageContaining("0 keys");
    }
  }

  private static byte[] signed(SecurityModule module) {
    try {
      return module.sign(ID, MESSAGE);
    } catch (ModuleFault e) {
      throw new AssertionError(e);
    }
  }

  /** As a module does that was restarted; SoftHSM numbers its handles. */
  private static void endSessions() throws ModuleFault {
    Cryptoki cryptoki = Cryptoki.load(ModuleConfig.read(open.config()).library());
    for (long handle = 1; handle < 1000; handle++) {
      try {
        cryptoki.closeSession(handle);
      } catch (ModuleFault _) {
        // No session has this number.
      }
    }
  }
}
