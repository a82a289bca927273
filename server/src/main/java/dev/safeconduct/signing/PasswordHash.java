package dev.safeconduct.signing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.text.Normalizer;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * Argon2id password hashes (RFC 9106), in the PHC string form. 19 MiB, two passes and one lane are
 * OWASP's minimum. Only a few run at a time, because a flood of logins must not use up the memory.
 */
public final class PasswordHash {
  private static final int MEMORY_KIB = 19 * 1024;
  private static final int PASSES = 2;
  private static final int LANES = 1;
  private static final int SALT_BYTES = 16;
  private static final int HASH_BYTES = 32;
  private static final int WAIT_SECONDS = 10;
  private static final Pattern PHC =
      Pattern.compile(
          "\\$argon2id\\$v=19\\$m=(\\d{1,8}),t=(\\d{1,4}),p=(\\d{1,3})\\$([A-Za-z0-9+/]+)\\$([A-Za-z0-9+/]+)");

  private final SecureRandom random;
  private final Semaphore atOnce =
      new Semaphore(Math.max(2, Runtime.getRuntime().availableProcessors()));

  /** A well-formed hash whose password is unknown. */
  private final String nobodys;

  public PasswordHash(SecureRandom random) {
    this.random = random;
    byte[] nothings = new byte[HASH_BYTES];
    random.nextBytes(nothings);
    this.nobodys = phc(salt(), nothings);
  }

  /**
   * Returns a new hash of the password, with its own salt.
   *
   * @throws Busy when too many are being computed
   */
  public String of(String password) {
    return limited(() -> encode(salt(), password));
  }

  /**
   * Returns whether the password matches the hash. Without a hash it takes as long and is false, so
   * that the response time does not reveal which accounts exist.
   *
   * @param hash absent for an account that does not exist or has no password
   * @throws Busy when too many are being computed
   */
  public boolean matches(Optional<String> hash, String password) {
    boolean same = limited(() -> check(hash.orElse(nobodys), password));
    return same && hash.isPresent();
  }

  /** Too many passwords are being checked; the caller may try again. */
  public static final class Busy extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Busy() {
      super("too many passwords at once");
    }
  }

  private interface Hashing<T> {
    T run();
  }

  private <T> T limited(Hashing<T> work) {
    boolean taken = false;
    try {
      taken = atOnce.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    if (!taken) {
      throw new Busy();
    }
    try {
      return work.run();
    } finally {
      atOnce.release();
    }
  }

  private byte[] salt() {
    byte[] salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    return salt;
  }

  private static String encode(byte[] salt, String password) {
    return phc(salt, hash(password, salt, MEMORY_KIB, PASSES, LANES, HASH_BYTES));
  }

  private static String phc(byte[] salt, byte[] hash) {
    Base64.Encoder base64 = Base64.getEncoder().withoutPadding();
    return "$argon2id$v=19$m="
        + MEMORY_KIB
        + ",t="
        + PASSES
        + ",p="
        + LANES
        + "$"
        + base64.encodeToString(salt)
        + "$"
        + base64.encodeToString(hash);
  }

  private static boolean check(String phc, String password) {
    Matcher parts = PHC.matcher(phc);
    if (!parts.matches()) {
      return false;
    }
    byte[] wanted = Base64.getDecoder().decode(parts.group(5));
    byte[] found =
        hash(
            password,
            Base64.getDecoder().decode(parts.group(4)),
            Integer.parseInt(parts.group(1)),
            Integer.parseInt(parts.group(2)),
            Integer.parseInt(parts.group(3)),
            wanted.length);
    return MessageDigest.isEqual(wanted, found);
  }

  /** Normalizes to NFC, so that every way to type a character matches (RFC 8265 section 4.2). */
  private static byte[] hash(
      String password, byte[] salt, int memoryKib, int passes, int lanes, int length) {
    var generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
            .withSalt(salt)
            .withMemoryAsKB(memoryKib)
            .withIterations(passes)
            .withParallelism(lanes)
            .build());
    byte[] hash = new byte[length];
    generator.generateBytes(
        Normalizer.normalize(password, Normalizer.Form.NFC).getBytes(StandardCharsets.UTF_8), hash);
    return hash;
  }
}
