package dev.safeconduct.signing;

import dev.safeconduct.config.DurableFile;
import dev.safeconduct.config.OwnerOnly;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key that encrypts every secret at rest (AES-256-GCM, one derived key per purpose by HKDF, RFC
 * 5869).
 */
public final class MasterKey {
  /** The minimum length of a master key from the environment, in characters. */
  public static final int MIN_LENGTH = 24;

  private static final int NONCE = 12;

  private final SecretKey root;
  private final SecureRandom random;

  private MasterKey(byte[] secret, SecureRandom random) {
    this.root = new SecretKeySpec(secret, "Generic");
    this.random = random;
  }

  /** Returns the key of {@code SAFECONDUCT_MASTER_KEY}. */
  public static MasterKey of(String secret, SecureRandom random) {
    if (secret.length() < MIN_LENGTH) {
      throw new IllegalArgumentException("a master key has at least " + MIN_LENGTH + " characters");
    }
    return new MasterKey(secret.getBytes(StandardCharsets.UTF_8), random);
  }

  /** Returns the key of a secret of 32 bytes or more from another source. */
  public static MasterKey of(byte[] secret, SecureRandom random) {
    if (secret.length < 32) {
      throw new IllegalArgumentException("a master key has at least 32 bytes");
    }
    return new MasterKey(secret.clone(), random);
  }

  /**
   * Returns the key in the file. A missing file is created with a new random key, readable by its
   * owner only, and is on the disk before anything is sealed with the key.
   *
   * @throws IOException when it cannot be read or written, or others may read it
   */
  public static MasterKey fromFile(Path file, SecureRandom random) throws IOException {
    if (!Files.exists(file)) {
      byte[] fresh = new byte[32];
      random.nextBytes(fresh);
      DurableFile.write(file, Base64.getEncoder().encodeToString(fresh) + "\n");
    }
    if (OwnerOnly.isOpen(file)) {
      throw new IOException(file + " can be read or written by others; chmod 600 it.");
    }
    String secret = Files.readString(file, StandardCharsets.UTF_8).strip();
    if (secret.length() < MIN_LENGTH) {
      throw new IOException(file + " does not hold a master key.");
    }
    return of(secret, random);
  }

  /**
   * Returns the key in a file from an earlier start; does not create a missing file.
   *
   * @throws IOException when it cannot be read, or others may read it
   * @throws WrongMasterKeyException when it is missing
   */
  public static MasterKey fromKeptFile(Path file, SecureRandom random)
      throws IOException, WrongMasterKeyException {
    if (!Files.exists(file)) {
      throw WrongMasterKeyException.missing(file);
    }
    return fromFile(file, random);
  }

  /** Derives a separate HMAC key for the purpose; 32 bytes, the same at every start. */
  public byte[] derive(String purpose) {
    try {
      return KDF.getInstance("HKDF-SHA256")
          .deriveData(
              HKDFParameterSpec.ofExtract()
                  .addIKM(root)
                  .addSalt("safeconduct".getBytes(StandardCharsets.UTF_8))
                  .thenExpand(purpose.getBytes(StandardCharsets.UTF_8), 32));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HKDF is not available", e);
    }
  }

  /** Encrypts and authenticates the bytes; {@link #open} needs the same {@code label}. */
  public byte[] seal(String label, byte[] plain) {
    return seal(label, plain, new byte[0]);
  }

  /** Also authenticates {@code bound}, which stays readable; {@link #open} needs the same. */
  byte[] seal(String label, byte[] plain, byte[] bound) {
    byte[] nonce = new byte[NONCE];
    random.nextBytes(nonce);
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, label, nonce, bound).doFinal(plain);
      byte[] all = Arrays.copyOf(nonce, NONCE + sealed.length);
      System.arraycopy(sealed, 0, all, NONCE, sealed.length);
      return all;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("sealing failed", e);
    }
  }

  /**
   * Decrypts the output of {@link #seal}.
   *
   * @throws WrongMasterKeyException when it was sealed under another key or has been altered
   */
  public byte[] open(String label, byte[] sealed) throws WrongMasterKeyException {
    return open(label, sealed, new byte[0]);
  }

  byte[] open(String label, byte[] sealed, byte[] bound) throws WrongMasterKeyException {
    if (sealed.length <= NONCE) {
      throw new WrongMasterKeyException(label);
    }
    try {
      return cipher(Cipher.DECRYPT_MODE, label, Arrays.copyOf(sealed, NONCE), bound)
          .doFinal(sealed, NONCE, sealed.length - NONCE);
    } catch (GeneralSecurityException e) {
      throw new WrongMasterKeyException(label);
    }
  }

  private Cipher cipher(int mode, String label, byte[] nonce, byte[] bound)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(
        mode, new SecretKeySpec(derive("seal:" + label), "AES"), new GCMParameterSpec(128, nonce));
    cipher.updateAAD(bound);
    return cipher;
  }

  @Override
  public String toString() {
    return "MasterKey[hidden]";
  }
}
