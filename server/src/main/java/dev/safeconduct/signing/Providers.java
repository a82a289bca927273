package dev.safeconduct.signing;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import java.security.Provider;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Selects the Ed25519 provider: AWS-LC by Corretto when its native library loads. */
final class Providers {
  private static final Logger LOG = LoggerFactory.getLogger(Providers.class);

  private Providers() {}

  static Provider ed25519() {
    // Read once when the provider is created: without it there is no key factory for stored keys.
    System.setProperty("com.amazon.corretto.crypto.provider.registerEdKeyFactory", "true");
    try {
      AmazonCorrettoCryptoProvider corretto = AmazonCorrettoCryptoProvider.INSTANCE;
      if (corretto.getLoadingError() == null) {
        return corretto;
      }
      LOG.warn(
          "The native part of Amazon Corretto Crypto Provider cannot be unpacked into {} ({});"
              + " signing with BouncyCastle, which is slower.",
          System.getProperty("java.io.tmpdir"),
          corretto.getLoadingError().toString());
    } catch (LinkageError e) {
      LOG.warn("Amazon Corretto Crypto Provider cannot run here; signing with BouncyCastle.");
    }
    return new BouncyCastleProvider();
  }
}
