package dev.safeconduct.signing;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Generates private keys and opens stored ones: in this process's memory, or in a security module.
 * For a key in memory, the sealed bytes are its PKCS #8 form. For one in a module they are a PKCS
 * #11 URI (RFC 7512) with its {@code CKA_ID}, which is also the end of its {@code kid}.
 */
public final class PrivateKeys implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateKeys.class);
  private static final int ID_BYTES = 8;

  /** PKCS #8 is a SEQUENCE and starts with another byte. */
  private static final String URI = "pkcs11:id=";

  private static final HexFormat PERCENT = HexFormat.of().withPrefix("%");

  private final MasterKey master;
  private final Ed25519 ed25519;
  private final Optional<KeyMaterial.Keys> module;
  private final Set<Purpose> inModule;

  private PrivateKeys(
      MasterKey master, Ed25519 ed25519, KeyMaterial.@Nullable Keys module, Set<Purpose> inModule) {
    this.master = master;
    this.ed25519 = ed25519;
    this.module = Optional.ofNullable(module);
    this.inModule = Set.copyOf(inModule);
  }

  /** Returns keys in this process's memory only. */
  public static PrivateKeys inMemory(MasterKey master, Ed25519 ed25519) {
    return new PrivateKeys(master, ed25519, null, Set.of());
  }

  /**
   * Returns keys that may be in the module; closing this closes the module.
   *
   * @param purposes the purposes whose new keys are generated in the module
   */
  public static PrivateKeys withModule(
      MasterKey master, Ed25519 ed25519, KeyMaterial.Keys module, Set<Purpose> purposes) {
    return new PrivateKeys(master, ed25519, module, purposes);
  }

  Ed25519 ed25519() {
    return ed25519;
  }

  /** Returns a new sealed key that is not yet in use. */
  SealedKey make(Purpose purpose, Instant now, RandomGenerator random) throws ModuleFault {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    String id = purpose.wire() + "-" + HexFormat.of().formatHex(bytes);
    byte[] publicKey;
    byte[] secret;
    if (module.isPresent() && inModule.contains(purpose)) {
      publicKey = generate(module.get(), bytes, SealedKey.PREFIX + id);
      secret = (URI + PERCENT.formatHex(bytes)).getBytes(StandardCharsets.US_ASCII);
    } else {
      Ed25519.NewKey made = ed25519.generate();
      publicKey = made.publicKey();
      secret = made.pkcs8();
    }
    return seal(
        new SealedKey(id, purpose, publicKey, new byte[0], now, Optional.empty(), Optional.empty()),
        secret);
  }

  private SealedKey seal(SealedKey key, byte[] secret) {
    return key.sealed(master.seal(key.purpose().wire(), secret, key.bound()));
  }

  /**
   * Opens the row's seal, which covers all its members, and checks that its private key makes its
   * public key. Of a key in a module it checks the name: the module need not be there.
   *
   * @return the private key, or its name in a module
   * @throws WrongMasterKeyException when the row was sealed under another master key, or altered
   */
  byte[] unseal(SealedKey key) throws WrongMasterKeyException {
    byte[] secret = master.open(key.purpose().wire(), key.sealedSeed(), key.bound());
    Optional<byte[]> inModule = idInModule(secret);
    boolean fits =
        inModule.isPresent()
            ? key.id().endsWith("-" + HexFormat.of().formatHex(inModule.get()))
            : ed25519.verify(
                key.publicKey(),
                secret,
                new MemoryKey(ed25519, ed25519.privateKey(secret)).sign(secret));
    if (!fits) {
      throw new WrongMasterKeyException(key.kid());
    }
    return secret;
  }

  /** Returns a sentence for each row whose seal does not open. */
  List<String> faults(List<SealedKey> rows) {
    var faults = new ArrayList<String>();
    for (SealedKey row : rows) {
      try {
        unseal(row);
      } catch (WrongMasterKeyException e) {
        faults.add("the seal of the signing key " + row.kid() + " does not open");
      }
    }
    return faults;
  }

  /**
   * Refuses rows that this service did not store.
   *
   * @param others faults found otherwise
   * @throws WrongMasterKeyException when there is a fault
   */
  void check(List<SealedKey> rows, List<String> others) throws WrongMasterKeyException {
    List<String> sealed = faults(rows);
    if (!rows.isEmpty() && sealed.size() == rows.size()) {
      throw new WrongMasterKeyException("signing keys");
    }
    var all = new ArrayList<String>(sealed);
    all.addAll(others);
    if (!all.isEmpty()) {
      throw WrongMasterKeyException.altered(all);
    }
  }

  /** Seals a key again after a change of its state. */
  SealedKey changed(SealedKey before, SealedKey after) throws WrongMasterKeyException {
    return seal(after, unseal(before));
  }

  private byte[] generate(KeyMaterial.Keys where, byte[] id, String kid) throws ModuleFault {
    try {
      byte[] publicKey = where.generate(id, kid);
      new ModuleKey(where, id, kid).prove(ed25519, publicKey);
      return publicKey;
    } catch (ModuleFault e) {
      throw new ModuleFault("The security module makes no key: " + e.getMessage());
    }
  }

  /**
   * Returns the signer of a stored key.
   *
   * @throws WrongMasterKeyException when it was sealed under another master key
   * @throws IllegalStateException when it needs a security module and there is none
   */
  Signer open(SealedKey key) throws WrongMasterKeyException {
    byte[] secret = unseal(key);
    Optional<byte[]> id = idInModule(secret);
    SigningKey opened;
    if (id.isEmpty()) {
      opened = new MemoryKey(ed25519, ed25519.privateKey(secret));
    } else {
      KeyMaterial.Keys where =
          module.orElseThrow(() ->
              new IllegalStateException(
                  "The key "
                      + key.kid()
                      + " is in a security module, and PKCS11_SIGNING does not use the module here."));
      opened = new ModuleKey(where, id.get(), key.kid());
    }
    return new Signer(key.id(), opened, key.publicKey());
  }

  private static Optional<byte[]> idInModule(byte[] secret) {
    String text = new String(secret, StandardCharsets.ISO_8859_1);
    return text.startsWith(URI)
        ? Optional.of(PERCENT.parseHex(text.substring(URI.length())))
        : Optional.empty();
  }

  /**
   * Tests a key in the module, and logs when the module does not sign with it. Also logs when the
   * key is in memory although new keys are generated in the module.
   *
   * @throws IllegalStateException when the module signs with another key
   */
  void check(Purpose purpose, Signer signer) {
    if (signer.key() instanceof ModuleKey key) {
      try {
        key.prove(ed25519, signer.publicKey());
      } catch (ModuleFault e) {
        // Startup continues: only a running service can rotate or revoke a lost key.
        key.fails(e);
      }
    } else if (inModule.contains(purpose)) {
      LOG.warn(
          "The key {} is not in the security module. Rotate the key of {} to have it there.",
          signer.kid(),
          purpose.wire());
    }
  }

  /** Deletes a key that is no longer used from the module, if it exists there. */
  void destroy(SealedKey key) {
    try {
      Optional<byte[]> id = idInModule(unseal(key));
      if (id.isPresent()) {
        module
            .orElseThrow(() -> new ModuleFault("PKCS11_SIGNING does not use the module here"))
            .destroy(id.get());
        LOG.info("The key {} is no longer in the security module.", key.kid());
      }
    } catch (ModuleFault | WrongMasterKeyException e) {
      LOG.error("The key {} is still in the security module: {}.", key.kid(), e.getMessage());
    }
  }

  @Override
  public void close() {
    module.ifPresent(KeyMaterial.Keys::close);
  }
}
