package dev.safeconduct.passport;

/** Signs published documents, so that they can be checked offline. */
public interface DocumentSigner {
  /** The key of now: one for the name and the signature in one document. */
  default DocumentSigner current() {
    return this;
  }

  /** The signature over the RFC 8785 bytes, as {@code ed25519:<base64>}. */
  String sign(byte[] canonical);

  /** The name of the key that signs, as the published key set has it. */
  String kid();
}
