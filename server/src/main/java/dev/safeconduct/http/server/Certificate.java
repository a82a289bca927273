package dev.safeconduct.http.server;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  private static final char[] NO_PASSWORD = {};
  private static final Pattern PRIVATE_KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

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
      byte[] chain = Files.readAllBytes(files.certificate());
      var certificates =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(chain));
      if (certificates.isEmpty()) {
        throw new CertificateException("there is no certificate in the file");
      }
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, NO_PASSWORD);
      store.setKeyEntry(
          "server",
          privateKey(Files.readString(files.privateKey(), StandardCharsets.ISO_8859_1)),
          NO_PASSWORD,
          certificates.toArray(java.security.cert.Certificate[]::new));
      return store;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "TLS_CERT "
              + files.certificate()
              + " and TLS_KEY "
              + files.privateKey()
              + " cannot be used: "
              + e.getMessage(),
          e);
    }
  }

  private static PrivateKey privateKey(String pem) throws GeneralSecurityException {
    Matcher block = PRIVATE_KEY.matcher(pem);
    if (!block.find()) {
      throw new InvalidKeySpecException("the key is not a PKCS #8 private key in PEM");
    }
    var spec = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(block.group(1)));
    for (String algorithm : List.of("EC", "RSA", "EdDSA", "RSASSA-PSS")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException _) {
        // The key has another algorithm.
      }
    }
    throw new InvalidKeySpecException("the key is not one of RSA, EC or EdDSA");
  }
}
