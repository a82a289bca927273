package dev.safeconduct.app;

import dev.safeconduct.config.Env;
import java.nio.file.Path;

/**
 * Settings of the keys.
 *
 * @param masterKey seals secrets at rest; a file in the data folder when none is configured
 * @param moduleSigning which signing keys are in the security module
 */
public record KeyConfig(MasterKeySource masterKey, ModuleSigning moduleSigning) {
  public static KeyConfig from(Env env, Path dataDir) {
    MasterKeySource masterKey = MasterKeySource.from(env, dataDir);
    return new KeyConfig(masterKey, ModuleSigning.from(env, masterKey));
  }
}
