package dev.safeconduct.testkit;

import dev.safeconduct.passport.DocumentSigner;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;

/** A signer with a fresh Ed25519 key, and the check of what it signs. */
public final class TestSigner implements DocumentSigner {
  private final KeyPair keys;

  public TestSigner() {
    try {
      keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String sign(byte[] canonical) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(keys.getPrivate());
      signature.update(canonical);
      return "ed25519:" + Base64.getEncoder().encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String kid() {
    return "oap:registry:test";
  }

  /** Whether the text is this key's signature over the bytes. */
  public boolean signed(byte[] canonical, String text) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initVerify(keys.getPublic());
      signature.update(canonical);
      return signature.verify(Base64.getDecoder().decode(text.replace("ed25519:", "")));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
