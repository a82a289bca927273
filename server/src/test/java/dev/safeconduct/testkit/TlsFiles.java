package dev.safeconduct.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates of localhost in PEM files, where a server finds them. */
public final class TlsFiles {
  private TlsFiles() {}

  /** The settings that name a folder's files. */
  public static Map<String, String> settings(Path folder) {
    return Map.of(
        "TLS_CERT", folder.resolve("chain.pem").toString(),
        "TLS_KEY", folder.resolve("key.pem").toString());
  }

  /** Makes a certificate and puts it and its key where the server looks for them. */
  public static Certificate shown(Path folder, String name) throws Exception {
    KeyStore keys = selfSigned(folder.resolve(name + ".p12"));
    Certificate certificate = keys.getCertificate("server");
    byte[] key = keys.getKey("server", "changeit".toCharArray()).getEncoded();
    pem(folder.resolve("key.pem"), "PRIVATE KEY", key);
    pem(folder.resolve("chain.pem"), "CERTIFICATE", certificate.getEncoded());
    return certificate;
  }

  /** What a client needs that trusts this certificate alone. */
  public static SSLContext trusting(Certificate certificate) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    trusted.setCertificateEntry("server", certificate);
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  /** What a client needs that trusts the certificate of this PEM file alone. */
  public static SSLContext trusting(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return trusting(CertificateFactory.getInstance("X.509").generateCertificate(in));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static KeyStore selfSigned(Path file) throws Exception {
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process process =
        new ProcessBuilder(
                List.of(
                    (keytool
                            + " -genkeypair -alias server -keyalg EC -groupname secp256r1"
                            + " -dname CN=localhost -ext san=dns:localhost -validity 3650"
                            + " -storetype PKCS12 -storepass changeit -keystore "
                            + file)
                        .split(" ", -1)))
            .redirectErrorStream(true)
            .start();
    process.getInputStream().readAllBytes();
    assertThat(process.waitFor()).isZero();
    return KeyStore.getInstance(file.toFile(), "changeit".toCharArray());
  }

  private static void pem(Path file, String type, byte[] der) throws Exception {
    byte[] newline = "\n".getBytes(StandardCharsets.US_ASCII);
    String text = Base64.getMimeEncoder(64, newline).encodeToString(der);
    Files.writeString(
        file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
  }
}
