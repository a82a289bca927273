package dev.safeconduct.signing;

import dev.safeconduct.signing.pkcs11.ModuleFault;
import dev.safeconduct.signing.pkcs11.SecurityModule;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes private keys and opens those that are kept: in this process's memory, or in a security
 * module. Of a key in memory the PKCS #8 form is sealed, of one in a module its name: a PKCS #11
 * URI (RFC 7512) with its {@code CKA_ID}, which is what its {@code kid} ends with.
 */
public final class KeyMaterial implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeyMaterial.class);
  private static final int ID_BYTES = 8;

  /** PKCS #8 is a SEQUENCE and begins with another byte. */
  private static final String URI = "pkcs11:id=";

  private static final HexFormat PERCENT = HexFormat.of().withPrefix("%");

  private final MasterKey master;
  private final Ed25519 ed25519;
  private final Optional<SecurityModule> module;
  private final Set<Purpose> inModule;

  private KeyMaterial(
      MasterKey master, Ed25519 ed25519, @Nullable SecurityModule module, Set<Purpose> inModule) {
    this.master = master;
    this.ed25519 = ed25519;
    this.module = Optional.ofNullable(module);
    this.inModule = Set.copyOf(inModule);
  }

  /** All keys are in this process's memory while it runs. */
  public static KeyMaterial inMemory(MasterKey master, Ed25519 ed25519) {
    return new KeyMaterial(master, ed25519, null, Set.of());
  }

  /**
   * Keys may be in the module, which is closed with this.
   *
   * @param purposes whose new keys are made there
   */
  public static KeyMaterial withModule(
      MasterKey master, Ed25519 ed25519, SecurityModule module, Set<Purpose> purposes) {
    return new KeyMaterial(master, ed25519, module, purposes);
  }

  Ed25519 ed25519() {
    return ed25519;
  }

  /** A new key, sealed, that nobody uses yet. */
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
    return new SealedKey(
        id,
        purpose,
        publicKey,
        master.seal(purpose.wire(), secret),
        now,
        Optional.empty(),
        Optional.empty());
  }

  private byte[] generate(SecurityModule where, byte[] id, String kid) throws ModuleFault {
    try {
      byte[] publicKey = where.generate(id, kid);
      new ModuleKey(where, id, kid).prove(ed25519, publicKey);
      return publicKey;
    } catch (ModuleFault e) {
      throw new ModuleFault("The security module makes no key: " + e.getMessage());
    }
  }

  /**
   * What signs with a key that is kept.
   *
   * @throws WrongMasterKeyException when it was sealed under another master key
   * @throws IllegalStateException when it is in a security module and there is none
   */
  Signer open(SealedKey key) throws WrongMasterKeyException {
    byte[] secret = master.open(key.purpose().wire(), key.sealedSeed());
    Optional<byte[]> id = idInModule(secret);
    SigningKey opened;
    if (id.isEmpty()) {
      opened = new MemoryKey(ed25519, ed25519.privateKey(secret));
    } else {
      SecurityModule where =
          module.orElseThrow(() ->
              new IllegalStateException(
                  "The key "
                      + key.kid()
                      + " is in a security module, and PKCS11_SIGNING is none here."));
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
   * Tries the key if it is in the module, and logs when that does not sign with it; says so if it
   * is not there and new ones would be.
   *
   * @throws IllegalStateException when the module signs with another key
   */
  void check(Purpose purpose, Signer signer) {
    if (signer.key() instanceof ModuleKey key) {
      try {
        key.prove(ed25519, signer.publicKey());
      } catch (ModuleFault e) {
        // The start goes on: a key that is lost can only be rotated or revoked by a service.
        key.fails(e);
      }
    } else if (inModule.contains(purpose)) {
      LOG.warn(
          "The key {} is not in the security module. Rotate the key of {} to have it there.",
          signer.kid(),
          purpose.wire());
    }
  }

  /** Takes a key that will never sign again out of the module, if it is there. */
  void destroy(SealedKey key) {
    try {
      Optional<byte[]> id = idInModule(master.open(key.purpose().wire(), key.sealedSeed()));
      if (id.isPresent()) {
        module.orElseThrow(() -> new ModuleFault("PKCS11_SIGNING is none here")).destroy(id.get());
        LOG.info("The key {} is no longer in the security module.", key.kid());
      }
    } catch (ModuleFault | WrongMasterKeyException e) {
      LOG.error("The key {} is still in the security module: {}.", key.kid(), e.getMessage());
    }
  }

  @Override
  public void close() {
    module.ifPresent(SecurityModule::close);
  }
}
