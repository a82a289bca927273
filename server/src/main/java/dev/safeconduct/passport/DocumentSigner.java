package dev.safeconduct.passport;

/** Signs published documents, so that they can be checked offline. */
public interface DocumentSigner {
  /**
   * Returns a signer fixed to the current key, so that key id and signature in one document match.
   */
  default DocumentSigner current() {
    return this;
  }

  /** Returns the signature over the RFC 8785 bytes, as {@code ed25519:<base64>}. */
  String sign(byte[] canonical);

  /** Returns the id of the signing key, as in the published key set. */
  String kid();
}
