package dev.safeconduct.audit.stream;

import dev.safeconduct.config.Pem;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files by which a destination and this service know each other.
 *
 * @param authorities who vouches for the destination; without it, those that the JVM trusts
 * @param certificate this service's certificate chain, if the destination wants one
 * @param key its PKCS #8 key; present together with the certificate
 */
record StreamTls(Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key) {
  /**
   * Reads the files: for each connection of syslog, and for HTTP at the first request and after a
   * failure. So a renewed certificate needs no restart.
   */
  SSLContext context() throws IOException, GeneralSecurityException {
    @Nullable KeyStore trusted = authorities.isPresent() ? Pem.trustStore(authorities.get()) : null;
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    KeyManager @Nullable [] own = null;
    if (certificate.isPresent() && key.isPresent()) {
      var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(Pem.keyStore(certificate.get(), key.get()), new char[0]);
      own = keys.getKeyManagers();
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own, trust.getTrustManagers(), null);
    return context;
  }
}
