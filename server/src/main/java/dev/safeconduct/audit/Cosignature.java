package dev.safeconduct.audit;

import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.VerifierKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * A witness's cosignature of a checkpoint (C2SP tlog-cosignature). It states that at a time the
 * checkpoint was consistent with everything the witness had seen of the log before.
 *
 * @param time seconds since 1970, never 0
 * @param signature 64 bytes of Ed25519
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Cosignature(VerifierKey witness, long time, byte[] signature) {
  private static final int BYTES = Long.BYTES + 64;

  /** Returns whether the line names the witness's key, so that it must be its signature. */
  static boolean isBy(VerifierKey witness, SignedNote.Line line) {
    return line.name().equals(witness.name()) && Arrays.equals(line.keyHash(), witness.hash());
  }

  /** Parses a line of the witness's key; empty when it does not hold a cosignature. */
  static Optional<Cosignature> of(VerifierKey witness, SignedNote.Line line) {
    if (line.signature().length != BYTES) {
      return Optional.empty();
    }
    ByteBuffer buffer = ByteBuffer.wrap(line.signature());
    long time = buffer.getLong();
    byte[] signature = new byte[64];
    buffer.get(signature);
    return time <= 0 ? Optional.empty() : Optional.of(new Cosignature(witness, time, signature));
  }

  /** Returns whether the witness has signed the checkpoint's text. */
  public boolean holds(String checkpoint, SignatureCheck signatures) {
    byte[] message =
        ("cosignature/v1\ntime " + time + "\n" + checkpoint).getBytes(StandardCharsets.UTF_8);
    return witness.algorithm() == SignedNote.COSIGNATURE
        && signatures.holds(witness.key(), message, signature);
  }

  SignedNote.Line line() {
    byte[] both =
        ByteBuffer.allocate(Long.BYTES + signature.length).putLong(time).put(signature).array();
    return new SignedNote.Line(witness.name(), witness.hash(), both);
  }
}
