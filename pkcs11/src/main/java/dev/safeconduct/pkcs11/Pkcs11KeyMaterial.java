package dev.safeconduct.pkcs11;

import dev.safeconduct.signing.KeyMaterial;
import dev.safeconduct.signing.ModuleFault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidParameterException;
import java.security.Key;
import java.security.KeyStore;
import java.security.Provider;
import java.security.ProviderException;
import java.security.Security;
import javax.crypto.Mac;

/** Keys in a security module that speaks PKCS #11. */
public final class Pkcs11KeyMaterial implements KeyMaterial {
  private static final String MESSAGE = "safeconduct master key v1";

  /** HMAC-SHA256 under a key that never leaves the module, by the platform's PKCS #11 provider. */
  @Override
  public byte[] masterSecret(Path config, String pin, String label) throws IOException {
    try {
      Provider provider = Security.getProvider("SunPKCS11").configure(config.toString());
      KeyStore keys = KeyStore.getInstance("PKCS11", provider);
      load(keys, pin.toCharArray());
      Key key = keys.getKey(label, null);
      if (key == null) {
        throw new IOException("The security module has no key named " + label + ".");
      }
      Mac mac = Mac.getInstance("HmacSHA256", provider);
      mac.init(key);
      return mac.doFinal(MESSAGE.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException | InvalidParameterException | ProviderException e) {
      throw new IOException("The security module cannot be used: " + rootCause(e).getMessage(), e);
    }
  }

  @Override
  public Keys open(Path config, String pin) throws ModuleFault {
    return SecurityModule.open(config, pin);
  }

  private static void load(KeyStore keys, char[] pin) throws IOException, GeneralSecurityException {
    try {
      keys.load(null, pin);
    } catch (IOException e) {
      throw new IOException(
          "The security module does not let us in: " + rootCause(e).getMessage(), e);
    }
  }

  /** The provider says "load failed" or "error configuring"; what it found is the last cause. */
  private static Throwable rootCause(Throwable fault) {
    Throwable cause = fault;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
