package dev.safeconduct.app;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import dev.safeconduct.signing.KeyMaterial;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.WrongMasterKeyException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * The source of the master key: the environment, a security module, or else a file.
 *
 * @param text {@code SAFECONDUCT_MASTER_KEY}
 * @param module the configuration of the platform's PKCS #11 provider, {@code PKCS11_CONFIG}
 * @param pin {@code PKCS11_PIN}
 * @param label the label of the module's key, {@code PKCS11_KEY}
 * @param folder the folder of the file
 */
public record MasterKeySource(
    Optional<Secret> text, Optional<Path> module, Optional<Secret> pin, String label, Path folder) {
  public static MasterKeySource from(Env env, Path folder) {
    var source =
        new MasterKeySource(
            env.secret("SAFECONDUCT_MASTER_KEY", MasterKey.MIN_LENGTH),
            env.string("PKCS11_CONFIG").map(Path::of),
            env.secret("PKCS11_PIN", 1),
            env.string("PKCS11_KEY", "safeconduct"),
            folder);
    if (source.module().isPresent() && source.text().isPresent()) {
      env.fault("PKCS11_CONFIG", "cannot stand beside SAFECONDUCT_MASTER_KEY: choose one");
    }
    if (source.module().isPresent() && source.pin().isEmpty()) {
      env.fault("PKCS11_PIN", "is required with PKCS11_CONFIG");
    }
    return source;
  }

  /** Returns whether every node has this key. */
  boolean isShared() {
    return text.isPresent() || module.isPresent();
  }

  /**
   * Returns the key.
   *
   * @param kept whether the store has content sealed with the key; then a missing file is not
   *     created
   * @throws IOException when the file or the security module cannot be used
   * @throws WrongMasterKeyException when the file is missing and must not be created
   */
  public MasterKey open(boolean kept, SecureRandom random)
      throws IOException, WrongMasterKeyException {
    if (module.isPresent()) {
      String digits = pin.map(Secret::reveal).orElse("");
      return MasterKey.of(KeyMaterial.find().masterSecret(module.get(), digits, label), random);
    }
    if (text.isPresent()) {
      return MasterKey.of(text.get().reveal(), random);
    }
    Path file = folder.resolve("master.key");
    return kept ? MasterKey.fromKeptFile(file, random) : MasterKey.fromFile(file, random);
  }
}
