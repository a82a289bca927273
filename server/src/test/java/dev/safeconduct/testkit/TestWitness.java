package dev.safeconduct.testkit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/** A witness of logs (C2SP tlog-cosignature), written from the specification alone. */
public final class TestWitness {
  private static final byte COSIGNATURE = 4;

  private final String name;
  private final KeyPair keys;

  public TestWitness(String name) {
    this.name = name;
    try {
      keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private byte[] typedKey() {
    byte[] encoded = keys.getPublic().getEncoded();
    return ByteBuffer.allocate(33)
        .put(COSIGNATURE)
        .put(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length))
        .array();
  }

  private byte[] hash() throws GeneralSecurityException {
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    sha.update((name + "\n").getBytes(StandardCharsets.UTF_8));
    return Arrays.copyOf(sha.digest(typedKey()), 4);
  }

  /** {@code name+hash+key}. */
  public String verifierKey() {
    try {
      return name
          + "+"
          + HexFormat.of().formatHex(hash())
          + "+"
          + Base64.getEncoder().encodeToString(typedKey());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The note with a line of this witness below the others. */
  public String cosigned(String note, long time) {
    String text = note.substring(0, note.indexOf("\n\n") + 1);
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(keys.getPrivate());
      signature.update(
          ("cosignature/v1\ntime " + time + "\n" + text).getBytes(StandardCharsets.UTF_8));
      byte[] line =
          ByteBuffer.allocate(4 + 8 + 64).put(hash()).putLong(time).put(signature.sign()).array();
      return note + "\u2014 " + name + " " + Base64.getEncoder().encodeToString(line) + "\n";
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
