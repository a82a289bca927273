package dev.safeconduct.audit;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.Tree;
import dev.safeconduct.tlog.VerifierKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Accepts known witnesses' cosignatures of this log's checkpoints and returns them. */
public final class Cosignatures {
  /** How far a witness's clock may be ahead of this service's. */
  private static final Duration MOST_AHEAD = Duration.ofMinutes(5);

  private final List<VerifierKey> witnesses;
  private final CosignedLog kept;
  private final MerkleLog log;
  private final Checkpoints checkpoints;
  private final SignatureCheck signatures;
  private final InstantSource clock;

  /** {@code witnesses}: the known witnesses; cosignatures of others are ignored. */
  public Cosignatures(
      List<VerifierKey> witnesses,
      CosignedLog kept,
      MerkleLog log,
      Checkpoints checkpoints,
      SignatureCheck signatures,
      InstantSource clock) {
    this.witnesses = List.copyOf(witnesses);
    this.kept = kept;
    this.log = log;
    this.checkpoints = checkpoints;
    this.signatures = signatures;
    this.clock = clock;
  }

  /**
   * Accepts a cosigned checkpoint of this log.
   *
   * @return the note with all cosignatures known for that size
   * @throws dev.safeconduct.error.ProblemException 400 when it is not a valid note, holds no
   *     cosignature of a known witness, or one that does not hold; 409 when it is not a checkpoint
   *     of this log
   */
  SignedNote add(String text) {
    SignedNote note = SignedNote.parse(text).orElseThrow(() -> bad("is not a signed note"));
    Checkpoint checkpoint =
        Checkpoint.parse(note.text()).orElseThrow(() -> bad("does not hold a checkpoint"));
    var found = new ArrayList<Cosignature>();
    for (SignedNote.Line line : note.lines()) {
      for (VerifierKey witness : witnesses) {
        if (Cosignature.isBy(witness, line)) {
          found.add(valid(witness, line, note));
        }
      }
    }
    if (found.isEmpty()) {
      throw bad("holds no cosignature of a witness in AUDIT_WITNESSES");
    }
    if (checkpoint.size() > log.size() || !note.text().equals(at(checkpoint.size()).text())) {
      throw ProblemException.conflict("This is not a checkpoint of this log.", "another_log");
    }
    SignedNote own = signed(checkpoint);
    if (note.lines().stream().anyMatch(line -> own.lines().stream().anyMatch(line::differs))) {
      throw bad("has a line of this log's key that is not its signature");
    }
    kept.add(checkpoint.size(), own.encoded(), found);
    return with(own, kept.of(checkpoint.size()));
  }

  private Cosignature valid(VerifierKey witness, SignedNote.Line line, SignedNote note) {
    Cosignature cosignature =
        Cosignature.of(witness, line)
            .filter(each -> each.holds(note.text(), signatures))
            .orElseThrow(() ->
                bad(
                    "has a line of the witness "
                        + witness.name()
                        + " that is not its cosignature"));
    Instant latest = clock.instant().plus(MOST_AHEAD);
    if (cosignature.time() > latest.getEpochSecond()) {
      throw bad(
          "has a cosignature of the witness "
              + witness.name()
              + " from the future: its clock or this service's is wrong by more than "
              + MOST_AHEAD.toMinutes()
              + " minutes");
    }
    return cosignature;
  }

  /**
   * Returns the largest cosigned checkpoint, signed by the log's keys of today, with its
   * cosignatures. The keys that signed it first may be revoked by now.
   */
  Optional<SignedNote> latest() {
    return kept.latestSize()
        .filter(size -> size <= log.size())
        .flatMap(size -> {
          Checkpoint checkpoint = at(size);
          // Only those of the log as it is: an altered database is not signed anew.
          List<Cosignature> valid =
              kept.of(size).stream()
                  .filter(each -> each.holds(checkpoint.text(), signatures))
                  .toList();
          return valid.isEmpty() ? Optional.empty() : Optional.of(with(signed(checkpoint), valid));
        });
  }

  private Checkpoint at(long size) {
    return new Checkpoint(checkpoints.origin(), size, new Tree(log.nodes(), size).root());
  }

  private SignedNote signed(Checkpoint checkpoint) {
    var unsigned = new SignedNote(checkpoint.text(), List.of());
    return new SignedNote(checkpoint.text(), checkpoints.signatures(unsigned.signedBytes()));
  }

  private static SignedNote with(SignedNote note, List<Cosignature> cosignatures) {
    var lines = new ArrayList<SignedNote.Line>(note.lines());
    cosignatures.forEach(cosignature -> lines.add(cosignature.line()));
    return new SignedNote(note.text(), lines);
  }

  private static RuntimeException bad(String what) {
    return ProblemException.invalid("checkpoint", "checkpoint " + what + ".");
  }
}
