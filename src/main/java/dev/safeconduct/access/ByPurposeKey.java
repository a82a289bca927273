package dev.safeconduct.access;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.impl.BaseJWSProvider;
import com.nimbusds.jose.util.Base64URL;
import dev.safeconduct.signing.Signer;
import java.util.Set;

/** Nimbus's own signer needs another library for Ed25519; ours is at hand. */
final class ByPurposeKey extends BaseJWSProvider implements JWSSigner {
  private final Signer signer;

  ByPurposeKey(Signer signer) {
    super(Set.of(JWSAlgorithm.EdDSA));
    this.signer = signer;
  }

  @Override
  public Base64URL sign(JWSHeader header, byte[] input) {
    return Base64URL.encode(signer.sign(input));
  }
}
