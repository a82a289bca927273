package dev.safeconduct.http.server;

import dev.safeconduct.config.FileFault;
import dev.safeconduct.config.Pem;
import java.io.IOException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's certificate and key as PEM files. They are read again when they change, so a renewed
 * certificate needs no restart. Files that do not match are logged and ignored; the current
 * certificate remains in use.
 */
final class Certificate {
  private static final Logger LOG = LoggerFactory.getLogger(Certificate.class);

  private final PemFiles files;
  private final SslContextFactory.Server context = new SslContextFactory.Server();
  private byte[] seen;

  /**
   * Reads the files.
   *
   * @throws IllegalArgumentException when the files cannot be read or are not a certificate and its
   *     key
   */
  Certificate(PemFiles files) {
    this.files = files;
    this.seen = content();
    context.setKeyStore(read(files));
    context.setKeyStorePassword("");
    context.setSniRequired(false);
  }

  SslContextFactory.Server context() {
    return context;
  }

  /** Returns when the certificate in use expires. */
  Instant expiry() {
    try {
      var certificate = (X509Certificate) context.getKeyStore().getCertificate(Pem.ALIAS);
      return certificate.getNotAfter().toInstant();
    } catch (KeyStoreException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Loads the files' certificate, if they have changed since the last check. */
  synchronized void renew() {
    byte[] now = content();
    if (Arrays.equals(now, seen) || now.length == 0) {
      return;
    }
    seen = now;
    try {
      KeyStore renewed = read(files);
      context.reload(factory -> factory.setKeyStore(renewed));
      LOG.info("The certificate {} has changed and is used from now on.", files.certificate());
    } catch (Exception e) {
      LOG.error(
          "The certificate {} has changed and cannot be used; the one before stays in use.",
          files.certificate(),
          e);
    }
  }

  /** Returns both files; empty while one of them cannot be read. */
  private byte[] content() {
    try {
      byte[] certificate = Files.readAllBytes(files.certificate());
      byte[] key = Files.readAllBytes(files.privateKey());
      byte[] both = Arrays.copyOf(certificate, certificate.length + key.length);
      System.arraycopy(key, 0, both, certificate.length, key.length);
      return both;
    } catch (IOException e) {
      return new byte[0];
    }
  }

  /**
   * Reads the current files.
   *
   * @throws IllegalArgumentException when they cannot be read or are not a certificate and its key
   */
  static KeyStore read(PemFiles files) {
    try {
      return Pem.keyStore(files.certificate(), files.privateKey());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "TLS_CERT "
              + files.certificate()
              + " and TLS_KEY "
              + files.privateKey()
              + " cannot be used: "
              + FileFault.shown(e),
          e);
    }
  }
}
