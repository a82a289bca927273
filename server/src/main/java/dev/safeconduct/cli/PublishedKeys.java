package dev.safeconduct.cli;

import dev.safeconduct.audit.SignatureCheck;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.Ed25519;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The keys of a published key set, for checks without the service. */
record PublishedKeys(Map<String, byte[]> keys, Ed25519 ed25519) implements SignatureCheck {
  private static final String DECISION = "oap:registry:decision-";
  private static final String CHECKPOINT = "oap:registry:checkpoint-";

  /**
   * Reads a file with a key set (RFC 7517).
   *
   * @throws IOException when it cannot be read, or is not a key set
   */
  static PublishedKeys read(Path file, Ed25519 ed25519) throws IOException {
    try {
      return of(GivenFile.bytes(file), ed25519);
    } catch (JsonFault e) {
      throw new IOException(file + " is not a key set: " + e.about("The file"), e);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is not a key set: " + e.getMessage(), e);
    }
  }

  private static PublishedKeys of(byte[] jwks, Ed25519 ed25519) throws JsonFault {
    var keys = new HashMap<String, byte[]>();
    for (JsonObject jwk : Json.parseObject(jwks).objects("keys")) {
      if (jwk.string("crv").equals(Optional.of("Ed25519"))
          && jwk.string("kid").isPresent()
          && jwk.string("x").isPresent()) {
        keys.put(jwk.text("kid"), Base64.getUrlDecoder().decode(jwk.text("x")));
      }
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("it holds no Ed25519 keys");
    }
    return new PublishedKeys(keys, ed25519);
  }

  /** Returns the public keys as the key set has them, by {@code kid}. */
  Map<String, String> encoded() {
    var encoded = new HashMap<String, String>();
    keys.forEach((kid, key) ->
        encoded.put(kid, Base64.getUrlEncoder().withoutPadding().encodeToString(key)));
    return encoded;
  }

  @Override
  public boolean has(String kid) {
    return kid.startsWith(DECISION) && keys.containsKey(kid);
  }

  @Override
  public boolean decision(String kid, byte[] message, byte[] signature) {
    byte[] key = has(kid) ? keys.get(kid) : null;
    return key != null && ed25519.verify(key, message, signature);
  }

  @Override
  public List<byte[]> checkpointKeys() {
    return keys.entrySet().stream()
        .filter(key -> key.getKey().startsWith(CHECKPOINT))
        .map(Map.Entry::getValue)
        .toList();
  }

  @Override
  public boolean holds(byte[] publicKey, byte[] message, byte[] signature) {
    return ed25519.verify(publicKey, message, signature);
  }
}
