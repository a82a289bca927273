package dev.safeconduct.audit;

import dev.safeconduct.error.Problem;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.Tree;
import dev.safeconduct.tlog.VerifierKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Accepts known witnesses' cosignatures of this log's checkpoints and returns them. */
public final class Cosignatures {
  private final List<VerifierKey> witnesses;
  private final CosignedLog kept;
  private final MerkleLog log;
  private final Checkpoints checkpoints;
  private final SignatureCheck signatures;

  /** {@code witnesses}: the known witnesses; cosignatures of others are ignored. */
  public Cosignatures(
      List<VerifierKey> witnesses,
      CosignedLog kept,
      MerkleLog log,
      Checkpoints checkpoints,
      SignatureCheck signatures) {
    this.witnesses = List.copyOf(witnesses);
    this.kept = kept;
    this.log = log;
    this.checkpoints = checkpoints;
    this.signatures = signatures;
  }

  /**
   * Accepts a cosigned checkpoint of this log.
   *
   * @return the note with all cosignatures known for that size
   * @throws dev.safeconduct.error.ProblemException 400 when it is not a valid note or holds no
   *     cosignature of a known witness, 409 when it is not a checkpoint of this log
   */
  SignedNote add(String text) {
    SignedNote note = SignedNote.parse(text).orElseThrow(() -> bad("is not a signed note"));
    Checkpoint checkpoint =
        Checkpoint.parse(note.text()).orElseThrow(() -> bad("does not hold a checkpoint"));
    var found = new ArrayList<Cosignature>();
    for (SignedNote.Line line : note.lines()) {
      for (VerifierKey witness : witnesses) {
        Cosignature.of(witness, line)
            .filter(cosignature -> cosignature.holds(note.text(), signatures))
            .ifPresent(found::add);
      }
    }
    if (found.isEmpty()) {
      throw bad("holds no cosignature of a witness in AUDIT_WITNESSES");
    }
    if (!note.text().equals(checkpoint.text())
        || !checkpoint.origin().equals(checkpoints.origin())
        || checkpoint.size() > log.size()
        || !Arrays.equals(new Tree(log.nodes(), checkpoint.size()).root(), checkpoint.root())) {
      throw new Problem.Conflict("This is not a checkpoint of this log.", "another_log")
          .toException();
    }
    var own = new SignedNote(note.text(), checkpoints.signatures(note.signedBytes()));
    kept.add(checkpoint.size(), own.encoded(), found);
    return with(own, checkpoint.size());
  }

  /** Returns the largest cosigned checkpoint, with its cosignatures. */
  Optional<SignedNote> latest() {
    return kept.latest()
        .flatMap(SignedNote::parse)
        .map(note -> with(note, Checkpoint.parse(note.text()).orElseThrow().size()));
  }

  private SignedNote with(SignedNote note, long size) {
    var lines = new ArrayList<SignedNote.Line>(note.lines());
    kept.of(size).forEach(cosignature -> lines.add(cosignature.line()));
    return new SignedNote(note.text(), lines);
  }

  private static RuntimeException bad(String what) {
    return Problem.invalid("checkpoint", "checkpoint " + what + ".").toException();
  }
}
