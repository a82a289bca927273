package dev.safeconduct.signing;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.signing.pkcs11.ModuleFault;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service's signing keys, one current per purpose; made at first start, shared by all nodes.
 * Once it is told to {@link #forget}, the next use reads them from the vault again, so a rotated or
 * revoked key is out of use here as soon as the change feed tells of it.
 */
public final class KeyRing {
  private static final Logger LOG = LoggerFactory.getLogger(KeyRing.class);

  private final Vault vault;
  private final KeyMaterial material;
  private final RandomGenerator random;

  /** {@link OpenKeys}, or a mark of its own for each time they were forgotten. */
  private final AtomicReference<Object> known;

  private KeyRing(Vault vault, KeyMaterial material, RandomGenerator random, OpenKeys keys) {
    this.vault = vault;
    this.material = material;
    this.random = random;
    this.known = new AtomicReference<>(keys);
  }

  /**
   * Opens the keys in the vault, making those that are missing, and tries those in a security
   * module.
   *
   * @throws WrongMasterKeyException when the keys were sealed under another master key
   * @throws ModuleFault when the security module makes no key
   * @throws IllegalStateException when one is in a security module and there is none, or it signs
   *     with another
   */
  public static KeyRing open(Vault vault, KeyMaterial material, Instant now, RandomGenerator random)
      throws WrongMasterKeyException, ModuleFault {
    for (Purpose purpose : Purpose.values()) {
      boolean missing =
          vault.signingKeys().stream()
              .noneMatch(key -> key.purpose() == purpose && key.retiredAt().isEmpty());
      if (missing) {
        // Where two nodes start at once the vault keeps the first; both read it below.
        SealedKey fresh = material.make(purpose, now, random);
        if (!vault.addFirst(fresh)) {
          material.destroy(fresh);
        }
      }
    }
    var keys = new OpenKeys(vault.signingKeys(), material);
    for (Purpose purpose : Purpose.values()) {
      material.check(purpose, keys.signer(purpose));
    }
    return new KeyRing(vault, material, random, keys);
  }

  /**
   * A new key, sealed, that nobody uses yet.
   *
   * @throws dev.safeconduct.problem.ProblemException when the security module makes none
   */
  public SealedKey fresh(Purpose purpose, Instant now) {
    try {
      return material.make(purpose, now, random);
    } catch (ModuleFault e) {
      LOG.error("There is no new key for {}: {}.", purpose.wire(), e.getMessage());
      throw new Problem.Unavailable("The security module makes no key. Try again.", 1)
          .toException();
    }
  }

  /** Takes a key that was revoked out of the security module, if it is there. */
  public void destroy(SealedKey revoked) {
    material.destroy(revoked);
  }

  /** Whether decisions can be signed; costs nothing. */
  public boolean works() {
    return !(known.get() instanceof OpenKeys keys) || keys.signer(Purpose.DECISION).key().works();
  }

  /** Has the next use read the vault again. */
  public void forget() {
    known.set(new Object());
  }

  private OpenKeys keys() {
    Object seen = known.get();
    while (true) {
      if (seen instanceof OpenKeys keys) {
        return keys;
      }
      try {
        var read = new OpenKeys(vault.signingKeys(), material);
        // Unless they were to be forgotten once more while they were read.
        if (known.compareAndSet(seen, read)) {
          return read;
        }
      } catch (WrongMasterKeyException e) {
        throw new IllegalStateException("a new signing key does not open", e);
      }
      seen = known.get();
    }
  }

  /** Checks what the purpose's keys have signed, the retired ones included, revoked ones not. */
  public Verifier verifier(Purpose purpose) {
    return new Verifier(material.ed25519(), () -> keys().good(purpose));
  }

  /** The key of the purpose now; take one for the {@code kid} and the signature of one thing. */
  public Signer signer(Purpose purpose) {
    return keys().signer(purpose);
  }

  /** The key of the purpose whenever it is asked for. */
  public Supplier<Signer> signers(Purpose purpose) {
    return () -> signer(purpose);
  }

  /**
   * All that sign checkpoints: the current key first, then the retired, so that who trusts one of
   * them goes on to verify the log. Revoked ones sign nothing.
   */
  public List<Signer> logSigners() {
    return keys().log();
  }

  /**
   * Those of keys that were read from a store which is not this service's own to change.
   *
   * @throws WrongMasterKeyException when they were sealed under another master key
   */
  public static List<Signer> logSigners(List<SealedKey> kept, KeyMaterial material)
      throws WrongMasterKeyException {
    return new OpenKeys(kept, material).log();
  }

  /** Every key there ever was, oldest first. */
  public List<SealedKey> all() {
    return keys().kept();
  }

  /** How many of the purpose's keys were revoked. */
  public int revoked(Purpose purpose) {
    int count = 0;
    for (SealedKey key : keys().kept()) {
      count += key.purpose() == purpose && key.revokedAt().isPresent() ? 1 : 0;
    }
    return count;
  }

  /**
   * The public key set (RFC 7517, OKP keys of RFC 8037), current and retired; of a retired key
   * {@code exp} tells when its time ended (parameters of OpenID Federation 1.0 section 8.7).
   * Revoked keys are left out, as most verifiers look at nothing but the key. Sessions are checked
   * by us alone and left out too.
   */
  public JsonObject jwks() {
    var list = new ArrayList<JsonValue>();
    for (SealedKey key : keys().kept()) {
      if (key.purpose() == Purpose.SESSION || key.revokedAt().isPresent()) {
        continue;
      }
      JsonObject.Builder jwk =
          JsonObject.builder()
              .put("kid", key.kid())
              .put("kty", "OKP")
              .put("crv", "Ed25519")
              .put("x", Base64.getUrlEncoder().withoutPadding().encodeToString(key.publicKey()))
              .put("use", "sig")
              .put("alg", "EdDSA")
              .put("iat", key.createdAt().getEpochSecond());
      key.retiredAt().ifPresent(at -> jwk.put("exp", at.getEpochSecond()));
      list.add(jwk.build());
    }
    return JsonObject.builder().put("keys", new JsonArray(list)).build();
  }
}
