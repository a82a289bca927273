package dev.safeconduct.audit;

import dev.safeconduct.config.Background;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.Tree;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs checkpoints of the log on demand. A checkpoint is at most a second old, and one signature
 * serves all requests within that second.
 */
public final class Checkpoints implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
  private static final Duration MOST_AGE = Duration.ofSeconds(1);

  /** The interval in which one signed checkpoint is stored. */
  private static final Duration KEPT_EVERY = Duration.ofMinutes(1);

  /** A checkpoint and its signed note. */
  public record Signed(Checkpoint checkpoint, SignedNote note, Instant at) {}

  private final MerkleLog log;
  private final String origin;
  private final Supplier<List<Signer>> keys;
  private final InstantSource clock;
  private final ReentrantLock signing = new ReentrantLock();
  private volatile @Nullable Signed latest;
  private Instant keptAt = Instant.EPOCH;
  private long keptSize;
  private final Background thread = Background.named("checkpoints", this::keepOn);
  private volatile boolean closing;
  private int acceptedThen;

  /**
   * @param origin the log's name in checkpoints; must never change
   * @param keys all signing keys, the current one first
   */
  public Checkpoints(
      MerkleLog log, String origin, Supplier<List<Signer>> keys, InstantSource clock) {
    this.log = log;
    this.origin = origin;
    this.keys = keys;
    this.clock = clock;
  }

  /**
   * Stores a checkpoint now, and one a minute from now on while the log grows, so that no log is
   * without one. {@code audit verify} relies on it.
   */
  public void start() {
    Duration _ = keep();
    thread.start();
  }

  /** Stores a checkpoint if the last one is a minute old; returns when the next one is due. */
  Duration keep() {
    signing.lock();
    try {
      if (isDue(clock.instant())) {
        latest = sign();
      }
      // A request may have stored one since this was last called.
      Duration left = Duration.between(clock.instant(), keptAt.plus(KEPT_EVERY));
      return left.isPositive() ? left : KEPT_EVERY;
    } catch (RuntimeException e) {
      LOG.atLevel(StoreUnavailable.level(e))
          .log("no checkpoint of the log can be stored now: {}", e.getMessage());
      return KEPT_EVERY;
    } finally {
      signing.unlock();
    }
  }

  private boolean isDue(Instant at) {
    return !at.isBefore(keptAt.plus(KEPT_EVERY));
  }

  private void keepOn() {
    while (!closing) {
      LockSupport.parkNanos(this, keep().toNanos());
    }
  }

  @Override
  public void close() {
    closing = true;
    thread.wake();
    thread.awaitEnd();
  }

  /** Returns the log's public keys as verifier keys of signed notes, the current one first. */
  public List<String> verifierKeys() {
    return keys.get().stream().map(key -> SignedNote.verifierKey(origin, key.publicKey())).toList();
  }

  /** Returns when this node last signed a checkpoint, if it has. */
  public Optional<Instant> lastSigned() {
    return Optional.ofNullable(latest).map(Signed::at);
  }

  /** Returns the log's name. */
  public String origin() {
    return origin;
  }

  /** Returns a checkpoint that is at most a second old. */
  public Signed current() {
    return atLeast(0);
  }

  /** Returns a checkpoint of at least that many durable records; at most a second old. */
  public Signed atLeast(long size) {
    Signed signed = latest;
    if (signed != null && serves(signed, size)) {
      return signed;
    }
    signing.lock();
    try {
      signed = latest;
      if (signed != null && serves(signed, size)) {
        return signed;
      }
      Signed fresh = sign();
      latest = fresh;
      return fresh;
    } finally {
      signing.unlock();
    }
  }

  private boolean serves(Signed signed, long size) {
    return signed.checkpoint().size() >= size
        && !clock.instant().isAfter(signed.at().plus(MOST_AGE));
  }

  private Signed sign() {
    Instant at = clock.instant();
    int accepted = log.accepted();
    boolean replaced = acceptedThen != accepted;
    Tree tree =
        log.grown(
            replaced ? Optional.empty() : Optional.ofNullable(latest).map(Signed::checkpoint));
    if (replaced) {
      keptSize = 0; // The accepted log may be shorter, and needs checkpoints of its own.
      acceptedThen = accepted;
    }
    var checkpoint = new Checkpoint(origin, tree.size(), tree.root());
    var unsigned = new SignedNote(checkpoint.text(), List.of());
    var note = new SignedNote(checkpoint.text(), signatures(unsigned.signedBytes()));
    if (checkpoint.size() > keptSize && isDue(at)) {
      log.keep(checkpoint.size(), note.encoded());
      keptAt = at;
      keptSize = checkpoint.size();
    }
    return new Signed(checkpoint, note, at);
  }

  /** Returns the signature lines of the log's keys over the text of a note. */
  List<SignedNote.Line> signatures(byte[] text) {
    return keys.get().stream()
        .map(key ->
            new SignedNote.Line(
                origin,
                SignedNote.keyHash(origin, SignedNote.ED25519, key.publicKey()),
                key.sign(text)))
        .toList();
  }
}
