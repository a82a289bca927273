package dev.safeconduct.signing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ServiceLoader;

/**
 * Keys in a security module that the operator configures with {@code PKCS11_CONFIG}. A separate
 * jar, {@code safeconduct-pkcs11.jar}, implements this interface; {@link ServiceLoader} finds it on
 * the class path.
 */
public interface KeyMaterial {
  /**
   * Returns the master secret of at least 32 bytes. Only this module can produce it, and it is the
   * same at every start.
   *
   * @param config the configuration of the platform's PKCS #11 provider
   * @param label the label of the module's key that derives it
   * @throws IOException when the module, the PIN or the key does not work
   */
  byte[] masterSecret(Path config, String pin, String label) throws IOException;

  /**
   * Opens the module for Ed25519 signing keys.
   *
   * @throws ModuleFault when the module or the PIN does not work
   */
  Keys open(Path config, String pin) throws ModuleFault;

  /** The Ed25519 keys in a module, identified by their {@code CKA_ID}; thread-safe. */
  interface Keys extends AutoCloseable {
    /**
     * Generates a key that never leaves the module.
     *
     * @param label the name that operators see
     * @return the 32 bytes of the public key
     */
    byte[] generate(byte[] id, String label) throws ModuleFault;

    /** Returns the 64 bytes of the signature over the message. */
    byte[] sign(byte[] id, byte[] message) throws ModuleFault;

    /** Deletes the key from the module permanently; does nothing when it does not exist. */
    void destroy(byte[] id) throws ModuleFault;

    @Override
    void close();
  }

  /**
   * Returns the implementation on the class path.
   *
   * @throws ModuleFault when there is none
   */
  static KeyMaterial find() throws ModuleFault {
    return ServiceLoader.load(KeyMaterial.class, KeyMaterial.class.getClassLoader())
        .findFirst()
        .orElseThrow(() ->
            new ModuleFault(
                "PKCS11_CONFIG is set, and safeconduct-pkcs11.jar is not on the class path. Put it"
                    + " beside safeconduct.jar and start with bin/safeconduct."));
  }
}
