package dev.safeconduct.signing;

import dev.safeconduct.error.Problem;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.AuditRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service's signing keys, one current key per purpose. They are generated at the first start
 * and shared by all nodes. After {@link #forget}, the next use reads them from the vault again. So
 * a rotated or revoked key is out of use on this node once the change feed reports it.
 */
public final class KeyRing {
  private static final Logger LOG = LoggerFactory.getLogger(KeyRing.class);

  /** How often the keys and their records are read until both agree. */
  private static final int READINGS = 5;

  private final Vault vault;
  private final PrivateKeys material;
  private final RevokedKeys revoked;
  private final RandomGenerator random;

  /** {@link OpenKeys}, or a new marker object after each {@link #forget}. */
  private final AtomicReference<Object> known;

  /** Whether the stored keys were refused when they were last read; logged once. */
  private final AtomicBoolean refused = new AtomicBoolean();

  private KeyRing(
      Vault vault,
      PrivateKeys material,
      RevokedKeys revoked,
      RandomGenerator random,
      OpenKeys keys) {
    this.vault = vault;
    this.material = material;
    this.revoked = revoked;
    this.random = random;
    this.known = new AtomicReference<>(keys);
  }

  /**
   * Opens the keys in the vault, generates missing ones, and tests those in a security module.
   * Every row is checked, also those of retired and revoked keys.
   *
   * @throws WrongMasterKeyException when the keys were sealed under another master key, or are not
   *     the ones that the service stored and the log tells of
   * @throws ModuleFault when the security module cannot generate a key
   * @throws IllegalStateException when a key needs a security module and there is none, or the
   *     module signs with another key
   */
  public static KeyRing open(
      Vault vault, PrivateKeys material, RevokedKeys revoked, Instant now, RandomGenerator random)
      throws WrongMasterKeyException, ModuleFault {
    List<SealedKey> kept = checked(vault, material, revoked);
    for (Purpose purpose : Purpose.values()) {
      boolean missing =
          kept.stream().noneMatch(key -> key.purpose() == purpose && key.retiredAt().isEmpty());
      if (missing) {
        // When two nodes start at once, the vault stores the first key; both nodes read it below.
        SealedKey fresh = material.make(purpose, now, random);
        if (!vault.addFirst(fresh)) {
          material.destroy(fresh);
        }
      }
    }
    var keys = new OpenKeys(checked(vault, material, revoked), material);
    for (Purpose purpose : Purpose.values()) {
      material.check(purpose, keys.signer(purpose));
    }
    return new KeyRing(vault, material, revoked, random, keys);
  }

  /**
   * Returns a new sealed key that is not yet in use.
   *
   * @throws dev.safeconduct.error.ProblemException when the security module cannot generate one
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

  /** Returns the retired key as the table is to have it. */
  public SealedKey retired(SealedKey key, Instant at) {
    return changed(key, key.retired(at));
  }

  /** Returns the revoked key as the table is to have it; it is retired too. */
  public SealedKey revoked(SealedKey key, Instant at) {
    return changed(key, key.retired(at).revoked(at));
  }

  private SealedKey changed(SealedKey before, SealedKey after) {
    try {
      return material.changed(before, after);
    } catch (WrongMasterKeyException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a sentence for each row whose seal does not open, or one if none does. */
  public static List<String> unsealable(List<SealedKey> rows, PrivateKeys material) {
    List<String> faults = material.faults(rows);
    return rows.size() > 1 && faults.size() == rows.size()
        ? List.of("no seal of a signing key opens: the master key is not the one of this database")
        : faults;
  }

  /**
   * Adds a record for each key that the log does not have yet: the first key of each purpose.
   *
   * @param entry creates the record from its members
   */
  public void record(Function<JsonObject, AuditRecord> entry) {
    KeyRecords records = vault.records();
    List<SealedKey> fresh = all().stream().filter(key -> !records.has(key.kid())).toList();
    if (!fresh.isEmpty()) {
      vault.record(fresh, entry);
    }
  }

  /** Deletes a revoked key from the security module, if it exists there. */
  public void destroy(SealedKey revoked) {
    material.destroy(revoked);
  }

  /** Returns whether decisions can be signed; cheap. */
  public boolean works() {
    try {
      return keys().signer(Purpose.DECISION).key().works();
    } catch (RuntimeException e) {
      return false;
    }
  }

  /** Makes the next use read the vault again. */
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
        var read = new OpenKeys(checked(vault, material, revoked), material);
        // Unless forget() was called again while the keys were read.
        if (known.compareAndSet(seen, read)) {
          refused.set(false);
          return read;
        }
      } catch (WrongMasterKeyException | IllegalStateException e) {
        // Nothing is signed with keys that may be somebody else's.
        if (!refused.getAndSet(true)) {
          LOG.error("The signing keys cannot be used: {}", e.getMessage());
        }
        throw new Problem.Unavailable("The signing keys cannot be used.", 60).toException();
      }
      seen = known.get();
    }
  }

  /**
   * Returns the keys of the table after comparing them with their seals, the log and what was seen.
   * A difference that a change between two queries made is gone when both are read again.
   */
  private static List<SealedKey> checked(Vault vault, PrivateKeys material, RevokedKeys revoked)
      throws WrongMasterKeyException {
    for (int attempt = 1; ; attempt++) {
      KeyRecords records = vault.records();
      List<SealedKey> rows = vault.signingKeys();
      List<String> faults = records.differences(rows, false);
      faults.addAll(revoked.faults(rows));
      if (faults.isEmpty() || attempt == READINGS) {
        material.check(rows, faults);
        revoked.note(rows);
        return rows;
      }
    }
  }

  /** Returns a verifier for the purpose's current and retired keys, without revoked ones. */
  public Verifier verifier(Purpose purpose) {
    return new Verifier(material.ed25519(), () -> keys().good(purpose));
  }

  /** Returns the purpose's current key; use one signer for the {@code kid} and its signature. */
  public Signer signer(Purpose purpose) {
    return keys().signer(purpose);
  }

  /** Returns a supplier of the purpose's current key. */
  public Supplier<Signer> signers(Purpose purpose) {
    return () -> signer(purpose);
  }

  /**
   * Returns all keys that sign checkpoints: the current key first, then the retired ones. A
   * verifier that trusts one of them can thus continue to verify the log. Revoked keys sign
   * nothing.
   */
  public List<Signer> logSigners() {
    return keys().log();
  }

  /**
   * Returns the log signers of keys from a store that this service must not change.
   *
   * @throws WrongMasterKeyException when they were sealed under another master key
   */
  public static List<Signer> logSigners(List<SealedKey> kept, PrivateKeys material)
      throws WrongMasterKeyException {
    return new OpenKeys(kept, material).log();
  }

  /** Returns all keys, including retired and revoked ones, oldest first. */
  public List<SealedKey> all() {
    return keys().kept();
  }

  /** Returns the number of the purpose's revoked keys. */
  public int revoked(Purpose purpose) {
    int count = 0;
    for (SealedKey key : keys().kept()) {
      count += key.purpose() == purpose && key.revokedAt().isPresent() ? 1 : 0;
    }
    return count;
  }

  /**
   * Returns the public key set (RFC 7517, OKP keys of RFC 8037) with current and retired keys. For
   * a retired key, {@code exp} is the end of its use (parameters of OpenID Federation 1.0 section
   * 8.7). Revoked keys are omitted, as most verifiers read only the key itself. Session keys are
   * omitted because only this service verifies sessions.
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
              .put("x", key.x())
              .put("use", "sig")
              .put("alg", "EdDSA")
              .put("iat", key.createdAt().getEpochSecond());
      key.retiredAt().ifPresent(at -> jwk.put("exp", at.getEpochSecond()));
      list.add(jwk.build());
    }
    return JsonObject.builder().put("keys", new JsonArray(list)).build();
  }
}
