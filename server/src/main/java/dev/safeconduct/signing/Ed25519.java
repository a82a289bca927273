package dev.safeconduct.signing;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;

/** Ed25519 (RFC 8032, pure) through one JCA provider. */
public final class Ed25519 {
  /** The SubjectPublicKeyInfo of an Ed25519 key without its 32 bytes (RFC 8410 section 4). */
  private static final byte[] PUBLIC_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

  private final Provider provider;

  private Ed25519(Provider provider) {
    this.provider = provider;
  }

  /** Found once: a native library is loaded, and tests itself. */
  private static final class Fastest {
    static final Ed25519 ED25519 = new Ed25519(Providers.ed25519());

    private Fastest() {}
  }

  /** Returns Ed25519 by the fastest provider that runs on this machine. */
  public static Ed25519 fastest() {
    return Fastest.ED25519;
  }

  /** Finds the fastest provider and has it test itself, beside what else a start does. */
  public static void prepare() {
    NewKey _ = fastest().generate();
  }

  static Ed25519 by(Provider provider) {
    return new Ed25519(provider);
  }

  public String providerName() {
    return provider.getName();
  }

  /** Generates a new key as (PKCS #8 bytes, 32 public bytes). */
  NewKey generate() {
    try {
      KeyPair pair = KeyPairGenerator.getInstance("Ed25519", provider).generateKeyPair();
      byte[] encoded = pair.getPublic().getEncoded();
      return new NewKey(
          pair.getPrivate().getEncoded(),
          Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Ed25519 is not available", e);
    }
  }

  PrivateKey privateKey(byte[] pkcs8) {
    try {
      return KeyFactory.getInstance("Ed25519", provider)
          .generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a stored signing key cannot be read", e);
    }
  }

  Signature signer(PrivateKey key) {
    try {
      Signature signature = Signature.getInstance("Ed25519", provider);
      signature.initSign(key);
      return signature;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a signing key cannot be used", e);
    }
  }

  /** Returns whether the signature over the message is by the key; false for malformed input. */
  public boolean verify(byte[] publicKey, byte[] message, byte[] signature) {
    if (publicKey.length != 32 || signature.length != 64) {
      return false;
    }
    byte[] encoded = Arrays.copyOf(PUBLIC_PREFIX, PUBLIC_PREFIX.length + 32);
    System.arraycopy(publicKey, 0, encoded, PUBLIC_PREFIX.length, 32);
    try {
      PublicKey key =
          KeyFactory.getInstance("Ed25519", provider)
              .generatePublic(new X509EncodedKeySpec(encoded));
      Signature verifier = Signature.getInstance("Ed25519", provider);
      verifier.initVerify(key);
      verifier.update(message);
      return verifier.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // passed on at once, never compared
  record NewKey(byte[] pkcs8, byte[] publicKey) {}
}
