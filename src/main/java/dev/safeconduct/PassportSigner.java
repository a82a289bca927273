package dev.safeconduct;

import dev.safeconduct.passport.DocumentSigner;
import dev.safeconduct.signing.Signer;

/** Signs what is said of passports with the key that is for that. */
record PassportSigner(Signer signer) implements DocumentSigner {
  @Override
  public String sign(byte[] canonical) {
    return signer.signText(canonical);
  }

  @Override
  public String kid() {
    return signer.kid();
  }
}
