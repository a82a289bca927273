package dev.safeconduct.audit;

import dev.safeconduct.audit.tlog.SignedNote;
import dev.safeconduct.audit.tlog.VerifierKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * What a witness says of a checkpoint (C2SP tlog-cosignature): that at a time it was consistent
 * with all the witness had seen of the log before.
 *
 * @param time seconds since 1970
 * @param signature 64 bytes of Ed25519
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Cosignature(VerifierKey witness, long time, byte[] signature) {
  private static final int BYTES = Long.BYTES + 64;

  /** The cosignature in a line of a note, when it is of the witness. */
  static Optional<Cosignature> of(VerifierKey witness, SignedNote.Line line) {
    if (!line.name().equals(witness.name())
        || !Arrays.equals(line.keyHash(), witness.hash())
        || line.signature().length != BYTES) {
      return Optional.empty();
    }
    ByteBuffer buffer = ByteBuffer.wrap(line.signature());
    long time = buffer.getLong();
    byte[] signature = new byte[64];
    buffer.get(signature);
    return time < 0 ? Optional.empty() : Optional.of(new Cosignature(witness, time, signature));
  }

  /** Whether the witness has signed the checkpoint's text. */
  boolean holds(String checkpoint, SignatureCheck signatures) {
    byte[] message =
        ("cosignature/v1\ntime " + time + "\n" + checkpoint).getBytes(StandardCharsets.UTF_8);
    return witness.algorithm() == SignedNote.COSIGNATURE
        && signatures.witness(witness.key(), message, signature);
  }

  SignedNote.Line line() {
    byte[] both =
        ByteBuffer.allocate(Long.BYTES + signature.length).putLong(time).put(signature).array();
    return new SignedNote.Line(witness.name(), witness.hash(), both);
  }
}
