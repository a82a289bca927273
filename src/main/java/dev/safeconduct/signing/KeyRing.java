package dev.safeconduct.signing;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The service's signing keys, one current per purpose; made at first start, shared by all nodes.
 */
public final class KeyRing {
  private final Map<Purpose, Signer> signers;
  private final List<SealedKey> keys;
  private final Ed25519 ed25519;

  private KeyRing(Map<Purpose, Signer> signers, List<SealedKey> keys, Ed25519 ed25519) {
    this.signers = signers;
    this.keys = keys;
    this.ed25519 = ed25519;
  }

  /**
   * Opens the keys in the vault, making those that are missing.
   *
   * @throws WrongMasterKeyException when the keys were sealed under another master key
   */
  public static KeyRing open(
      Vault vault, MasterKey master, Ed25519 ed25519, Instant now, RandomGenerator random)
      throws WrongMasterKeyException {
    for (Purpose purpose : Purpose.values()) {
      if (current(vault.signingKeys(), purpose).isEmpty()) {
        Ed25519.NewKey fresh = ed25519.generate();
        byte[] id = new byte[8];
        random.nextBytes(id);
        // Where two nodes start at once the vault keeps the first; both read it below.
        vault.addFirst(
            new SealedKey(
                purpose.wire() + "-" + HexFormat.of().formatHex(id),
                purpose,
                fresh.publicKey(),
                master.seal(purpose.wire(), fresh.pkcs8()),
                now,
                Optional.empty()));
      }
    }
    List<SealedKey> keys = vault.signingKeys();
    var signers = new EnumMap<Purpose, Signer>(Purpose.class);
    for (Purpose purpose : Purpose.values()) {
      SealedKey key = current(keys, purpose).orElseThrow();
      byte[] pkcs8 = master.open(purpose.wire(), key.sealedSeed());
      signers.put(
          purpose, new Signer(key.id(), ed25519, ed25519.privateKey(pkcs8), key.publicKey()));
    }
    return new KeyRing(signers, keys, ed25519);
  }

  private static Optional<SealedKey> current(List<SealedKey> keys, Purpose purpose) {
    return keys.stream()
        .filter(key -> key.purpose() == purpose && key.retiredAt().isEmpty())
        .findFirst();
  }

  /** Checks what the purpose's keys have signed, the retired ones included. */
  public Verifier verifier(Purpose purpose) {
    var publicKeys = new HashMap<String, byte[]>();
    for (SealedKey key : keys) {
      if (key.purpose() == purpose) {
        publicKeys.put("oap:registry:" + key.id(), key.publicKey());
      }
    }
    return new Verifier(ed25519, publicKeys);
  }

  public Signer signer(Purpose purpose) {
    Signer signer = signers.get(purpose);
    if (signer == null) {
      throw new IllegalStateException("no key for " + purpose.wire());
    }
    return signer;
  }

  /**
   * The public key set (RFC 7517, OKP keys of RFC 8037), current and retired; sessions are checked
   * by us alone and left out.
   */
  public JsonObject jwks() {
    var list = new ArrayList<JsonValue>();
    for (SealedKey key : keys) {
      if (key.purpose() == Purpose.SESSION) {
        continue;
      }
      list.add(
          JsonObject.builder()
              .put("kid", "oap:registry:" + key.id())
              .put("kty", "OKP")
              .put("crv", "Ed25519")
              .put("x", Base64.getUrlEncoder().withoutPadding().encodeToString(key.publicKey()))
              .put("use", "sig")
              .put("alg", "EdDSA")
              .build());
    }
    return JsonObject.builder().put("keys", new JsonArray(list)).build();
  }
}
