package dev.safeconduct.config;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates and private keys in PEM files (RFC 7468), as key stores. */
public final class Pem {
  /** The name of the entry with the private key and its certificate. */
  public static final String ALIAS = "key";

  private static final char[] NO_PASSWORD = {};
  private static final Pattern PRIVATE_KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

  private Pem() {}

  /**
   * Returns a key store of a certificate chain, the leaf first, and its PKCS #8 key.
   *
   * @throws IOException when a file cannot be read
   * @throws GeneralSecurityException when a file does not hold what it should
   */
  public static KeyStore keyStore(Path chain, Path key)
      throws IOException, GeneralSecurityException {
    KeyStore store = empty();
    store.setKeyEntry(
        ALIAS,
        privateKey(Files.readString(key, StandardCharsets.ISO_8859_1)),
        NO_PASSWORD,
        certificates(chain).toArray(Certificate[]::new));
    return store;
  }

  /**
   * Returns a key store of certificates to trust.
   *
   * @throws IOException when the file cannot be read
   * @throws GeneralSecurityException when there is no certificate in it
   */
  public static KeyStore trustStore(Path file) throws IOException, GeneralSecurityException {
    KeyStore store = empty();
    for (Certificate each : certificates(file)) {
      store.setCertificateEntry("trusted-" + store.size(), each);
    }
    return store;
  }

  /**
   * Returns what a client needs that trusts the certificates of a file, and no other.
   *
   * @throws IOException when the file cannot be read
   * @throws GeneralSecurityException when there is no certificate in it
   */
  public static SSLContext trusting(Path file) throws IOException, GeneralSecurityException {
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trustStore(file));
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    return store;
  }

  private static Collection<? extends Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException {
    var certificates =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
    if (certificates.isEmpty()) {
      throw new CertificateException("there is no certificate in the file");
    }
    return certificates;
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
