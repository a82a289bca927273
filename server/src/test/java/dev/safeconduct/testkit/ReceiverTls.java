package dev.safeconduct.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;

/** Receivers that speak TLS, and the one authority that vouches for them. */
public final class ReceiverTls {
  private static final String PASSWORD = "only-for-tests";

  private ReceiverTls() {}

  /** A new certificate for these names ({@code dns:…,ip:…}): serves with it, and trusts it. */
  public static SSLContext context(Path folder, String names)
      throws IOException, GeneralSecurityException, InterruptedException {
    Path file = certificate(folder, names);
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("receiver", store.getCertificate("receiver"));
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext made = SSLContext.getInstance("TLS");
    made.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return made;
  }

  /** A key and a certificate signed by itself, in a PKCS #12 file. */
  private static Path certificate(Path folder, String names)
      throws IOException, InterruptedException {
    Path file = folder.resolve("receiver.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "receiver",
                "-keyalg",
                "EC",
                "-dname",
                "CN=receiver",
                "-ext",
                "san=" + names,
                "-validity",
                "30",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new AssertionError(said);
    }
    return file;
  }

  /** Starts a receiver on a free port of the loopback address. */
  public static ScriptedReceiver start(SSLContext context, ScriptedReceiver.Script script)
      throws IOException {
    SSLServerSocket server =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 10, InetAddress.getLoopbackAddress());
    return ScriptedReceiver.start(server, script);
  }
}
