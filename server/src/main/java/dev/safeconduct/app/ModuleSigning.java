package dev.safeconduct.app;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import dev.safeconduct.signing.Ed25519;
import dev.safeconduct.signing.KeyMaterial;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.PrivateKeys;
import dev.safeconduct.signing.Purpose;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which signing keys the security module holds, {@code PKCS11_SIGNING}. A key stays where it is
 * created; moving requires a new key.
 *
 * @param used whether keys in the module sign; if false, a key in the module stops the start
 * @param fresh the purposes whose new keys are created in the module
 */
public record ModuleSigning(boolean used, Set<Purpose> fresh) {
  private static final String SETTING = "PKCS11_SIGNING";

  public static ModuleSigning from(Env env, MasterKeySource source) {
    List<String> words = env.list(SETTING);
    if (words.isEmpty() || words.equals(List.of("none"))) {
      return new ModuleSigning(false, Set.of());
    }
    if (source.module().isEmpty()) {
      env.fault(SETTING, "needs PKCS11_CONFIG, which names the security module");
    }
    if (words.equals(List.of("all"))) {
      return new ModuleSigning(true, EnumSet.allOf(Purpose.class));
    }
    if (words.equals(List.of("existing"))) {
      return new ModuleSigning(true, Set.of());
    }
    Set<Purpose> fresh = EnumSet.noneOf(Purpose.class);
    for (String word : words) {
      Optional<Purpose> purpose =
          Arrays.stream(Purpose.values()).filter(each -> each.wire().equals(word)).findFirst();
      if (purpose.isEmpty()) {
        env.fault(
            SETTING,
            "must be none, all, existing, or purposes with commas between ("
                + wires(EnumSet.allOf(Purpose.class))
                + "), not "
                + word);
      }
      purpose.ifPresent(fresh::add);
    }
    return new ModuleSigning(true, fresh);
  }

  /**
   * Returns where keys are created and opened.
   *
   * @throws IOException when the security module cannot be used
   */
  public PrivateKeys material(MasterKeySource source, MasterKey master) throws IOException {
    if (!used || source.module().isEmpty()) {
      return PrivateKeys.inMemory(master, Ed25519.fastest());
    }
    String pin = source.pin().map(Secret::reveal).orElse("");
    return PrivateKeys.withModule(
        master, Ed25519.fastest(), KeyMaterial.find().open(source.module().get(), pin), fresh);
  }

  @Override
  public String toString() {
    if (!used) {
      return "none";
    }
    return fresh.isEmpty() ? "existing" : wires(fresh);
  }

  private static String wires(Set<Purpose> purposes) {
    return purposes.stream().map(Purpose::wire).collect(Collectors.joining(", "));
  }
}
