package dev.safeconduct.signing.pkcs11;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.testkit.AtOnce;
import dev.safeconduct.testkit.SoftHsm;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of sessions with a module that ends them, and of a PIN that it refuses. */
final class ModuleSessionsTest {
  @TempDir Path folder;

  @Test
  void brokenSessionsAreReplacedAndARefusedPinIsNotTriedAgain() throws Exception {
    assertThat(SoftHsm.in(folder).java(Map.of(), Life.class, folder.toString()))
        .startsWith("0\n")
        .contains("lived");
  }

  /** In a process that sees the token. */
  static final class Life {
    private static final byte[] ID = {7, 7};
    private static final byte[] MESSAGE = "message".getBytes(StandardCharsets.US_ASCII);

    private Life() {}

    public static void main(String[] args) throws Exception {
      SoftHsm token = SoftHsm.made(Path.of(args[0]));
      assertThatThrownBy(() -> SecurityModule.open(token.config(), "0000"))
          .isInstanceOf(ModuleFault.class)
          .hasMessageContaining("CKR_PIN_INCORRECT")
          .hasMessageNotContaining("0000");
      try (SecurityModule refused = SecurityModule.at(token.config(), "0000")) {
        assertThatThrownBy(() -> refused.sign(ID, MESSAGE))
            .hasMessage("C_Login answered CKR_PIN_INCORRECT");
        assertThatThrownBy(() -> refused.sign(ID, MESSAGE))
            .hasMessageContaining("the PIN is not tried again");
      }
      try (SecurityModule module = SecurityModule.open(token.config(), SoftHsm.PIN)) {
        assertThat(module.generate(ID, "of the tests")).hasSize(32);
        assertThatThrownBy(() -> module.generate(ID, "of the tests"))
            .hasMessageContaining("it has a key of the id 0707");
        byte[] signature = module.sign(ID, MESSAGE);
        endSessions(token);
        assertThat(module.sign(ID, MESSAGE)).isEqualTo(signature);
        assertThat(AtOnce.run(50, _ -> signed(module))).containsOnly(signature);
      }
      try (SecurityModule module = SecurityModule.open(token.config(), SoftHsm.PIN)) {
        module.destroy(ID);
        module.destroy(ID);
        assertThatThrownBy(() -> module.sign(ID, MESSAGE)).hasMessageContaining("0 keys");
      }
      System.out.println("lived");
    }

    private static byte[] signed(SecurityModule module) {
      try {
        return module.sign(ID, MESSAGE);
      } catch (ModuleFault e) {
        throw new AssertionError(e);
      }
    }

    /** As a module does that was restarted; SoftHSM numbers its handles. */
    private static void endSessions(SoftHsm token) throws ModuleFault {
      Cryptoki cryptoki = Cryptoki.load(ModuleConfig.read(token.config()).library());
      for (long handle = 1; handle < 1000; handle++) {
        try {
          cryptoki.closeSession(handle);
        } catch (ModuleFault _) {
          // No session has this number.
        }
      }
    }
  }
}
