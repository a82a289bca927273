package dev.safeconduct;

import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.signing.pkcs11.ModuleSecret;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * Where the master key comes from: the environment, a security module, or else a file.
 *
 * @param text {@code SAFECONDUCT_MASTER_KEY}
 * @param module the configuration of the platform's PKCS #11 provider, {@code PKCS11_CONFIG}
 * @param pin {@code PKCS11_PIN}
 * @param label the module's key, {@code PKCS11_KEY}
 * @param folder where the file lies
 */
record MasterKeySource(
    Optional<Secret> text, Optional<Path> module, Optional<Secret> pin, String label, Path folder) {
  static MasterKeySource from(Env env, Path folder) {
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

  /** Whether every node has it. */
  boolean isShared() {
    return text.isPresent() || module.isPresent();
  }

  /**
   * The key.
   *
   * @param kept whether the store has something sealed with it: then a missing file is not made
   * @throws IOException when the file or the security module cannot be used
   * @throws WrongMasterKeyException when the file is missing and must not be made
   */
  MasterKey open(boolean kept, SecureRandom random) throws IOException, WrongMasterKeyException {
    if (module.isPresent()) {
      char[] digits = pin.map(secret -> secret.reveal().toCharArray()).orElse(new char[0]);
      return MasterKey.of(ModuleSecret.of(module.get(), digits, label), random);
    }
    if (text.isPresent()) {
      return MasterKey.of(text.get().reveal(), random);
    }
    Path file = folder.resolve("master.key");
    return kept ? MasterKey.fromKeptFile(file, random) : MasterKey.fromFile(file, random);
  }
}
