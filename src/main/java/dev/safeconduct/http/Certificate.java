package dev.safeconduct.http;

import dev.safeconduct.digest.Sha256;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The PEM files the server shows itself with, read again when they change: whoever renews the
 * certificate need not restart anything. Files that do not fit together are left alone and said in
 * the log; the certificate in use stays.
 */
final class Certificate {
  private static final Logger LOG = LoggerFactory.getLogger(Certificate.class);

  private final HttpConfig.Tls files;
  private byte[] seen;

  Certificate(HttpConfig.Tls files) {
    this.files = files;
    this.seen = digest();
  }

  /**
   * The files as they are now.
   *
   * @throws RuntimeException when they cannot be read or are no certificate and key
   */
  Tls read() {
    Keys keys =
        Keys.builder()
            .pem(pem ->
                pem.key(Resource.create(files.privateKey()))
                    .certChain(Resource.create(files.certificate())))
            .build();
    return Tls.builder()
        .privateKey(keys.privateKey().orElseThrow())
        .privateKeyCertChain(keys.certChain())
        .build();
  }

  /** What to show from now on, if the files have changed since they were last looked at. */
  synchronized Optional<Tls> renewed() {
    byte[] now = digest();
    if (Arrays.equals(now, seen) || now.length == 0) {
      return Optional.empty();
    }
    seen = now;
    try {
      Tls renewed = read();
      LOG.info("The certificate {} has changed and is used from now on.", files.certificate());
      return Optional.of(renewed);
    } catch (RuntimeException e) {
      LOG.error(
          "The certificate {} has changed and cannot be used; the one before stays in use.",
          files.certificate(),
          e);
      return Optional.empty();
    }
  }

  /** Of both files' content; empty while one of them cannot be read. */
  private byte[] digest() {
    try {
      MessageDigest digest = Sha256.begin();
      digest.update(Files.readAllBytes(files.certificate()));
      digest.update((byte) 0);
      digest.update(Files.readAllBytes(files.privateKey()));
      return digest.digest();
    } catch (IOException e) {
      return new byte[0];
    }
  }
}
