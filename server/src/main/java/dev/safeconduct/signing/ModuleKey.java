package dev.safeconduct.signing;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A private key in a security module; while the module is unavailable, it signs nothing. */
final class ModuleKey implements SigningKey {
  private static final Logger LOG = LoggerFactory.getLogger(ModuleKey.class);

  /** Not JSON, a signed note or a token, so a signature over it cannot be misused. */
  private static final byte[] TRIAL =
      "safeconduct tries a key of the security module".getBytes(StandardCharsets.US_ASCII);

  private final KeyMaterial.Keys module;
  private final byte[] id;
  private final String kid;

  /** Whether the last signature failed: each change of it is logged, not each request. */
  private final AtomicBoolean failing = new AtomicBoolean();

  private final AtomicBoolean trying = new AtomicBoolean();

  /**
   * Creates the key.
   *
   * @param id its {@code CKA_ID}
   */
  ModuleKey(KeyMaterial.Keys module, byte[] id, String kid) {
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
   * Tests that the module has the key, and that it belongs to the public key.
   *
   * @throws ModuleFault when the module does not sign with it
   * @throws IllegalStateException when it signs with another key
   */
  void prove(Ed25519 ed25519, byte[] publicKey) throws ModuleFault {
    if (!ed25519.verify(publicKey, TRIAL, module.sign(id, TRIAL))) {
      throw new IllegalStateException(
          "What the security module signs with " + kid + " is not by its public key.");
    }
  }

  /** Records that the key does not sign; logged once until it does. */
  void fails(ModuleFault fault) {
    if (!failing.getAndSet(true)) {
      LOG.error(
          "The security module does not sign with {}: {}. What needs it is refused until it does, or"
              + " until the key is rotated.",
          kid,
          fault.getMessage());
    }
  }

  /**
   * Returns whether the last signature succeeded; if not, starts another attempt for the next call.
   */
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
      // It still fails, which has been logged.
    } finally {
      trying.set(false);
    }
  }
}
