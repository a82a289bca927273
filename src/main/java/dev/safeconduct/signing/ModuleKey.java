package dev.safeconduct.signing;

import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.signing.pkcs11.ModuleFault;
import dev.safeconduct.signing.pkcs11.SecurityModule;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A private key in a security module: while that does not sign, nothing is signed. */
final class ModuleKey implements SigningKey {
  private static final Logger LOG = LoggerFactory.getLogger(ModuleKey.class);

  /** Neither JSON nor a signed note nor a token, so a signature over it says nothing. */
  private static final byte[] TRIAL =
      "safeconduct tries a key of the security module".getBytes(StandardCharsets.US_ASCII);

  private final SecurityModule module;
  private final byte[] id;
  private final String kid;

  /** Whether the last signature failed: each change of that is logged, not each request. */
  private final AtomicBoolean failing = new AtomicBoolean();

  private final AtomicBoolean trying = new AtomicBoolean();

  /**
   * Names the key.
   *
   * @param id its {@code CKA_ID}
   */
  ModuleKey(SecurityModule module, byte[] id, String kid) {
    this.module = module;
    this.id = id.clone();
    this.kid = kid;
  }

  @Override
  public byte[] sign(byte[] message) {
    try {
      byte[] signature = module.sign(id, message);
      if (failing.get() && failing.compareAndSet(true, false)) {
        LOG.info("The security module signs with {} again.", kid);
      }
      return signature;
    } catch (ModuleFault e) {
      fails(e);
      throw new Problem.Unavailable("The security module does not sign. Try again.", 1)
          .toException();
    }
  }

  /**
   * Tries whether the module has the key, and that it is the one of the public key.
   *
   * @throws ModuleFault when the module does not sign with it
   * @throws IllegalStateException when it signs with another
   */
  void prove(Ed25519 ed25519, byte[] publicKey) throws ModuleFault {
    if (!ed25519.verify(publicKey, TRIAL, module.sign(id, TRIAL))) {
      throw new IllegalStateException(
          "What the security module signs with " + kid + " is not by its public key.");
    }
  }

  /** Notes that it does not sign, which is logged once until it does. */
  void fails(ModuleFault fault) {
    if (!failing.getAndSet(true)) {
      LOG.error(
          "The security module does not sign with {}: {}. What needs it is refused until it does, or"
              + " until the key is rotated.",
          kid,
          fault.getMessage());
    }
  }

  /** Whether the last signature was made; when not, another try begins, for who asks next. */
  @Override
  public boolean works() {
    if (!failing.get()) {
      return true;
    }
    if (!trying.getAndSet(true)) {
      Thread.ofVirtual().start(this::tryAgain);
    }
    return false;
  }

  private void tryAgain() {
    try {
      sign(TRIAL);
    } catch (ProblemException _) {
      // It goes on to fail, which has been logged.
    } finally {
      trying.set(false);
    }
  }
}
