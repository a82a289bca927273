package dev.safeconduct.audit;

import dev.safeconduct.tlog.SignedNote;
import java.util.Arrays;
import java.util.List;

/** Verifies Ed25519 signatures with the service's published keys. */
public interface SignatureCheck {
  /** Returns whether there is a decision key with this {@code kid}. */
  boolean has(String kid);

  /** Returns whether the key of that {@code kid} made the signature over the message. */
  boolean decision(String kid, byte[] message, byte[] signature);

  /** Returns the public keys that sign checkpoints and manifests. */
  List<byte[]> checkpointKeys();

  /** Returns whether the given key made the signature over the message. */
  boolean holds(byte[] publicKey, byte[] message, byte[] signature);

  /**
   * Returns whether a checkpoint key signed the note under that name. One signature line of such a
   * key that does not verify makes the whole note invalid (C2SP signed-note); lines of unknown keys
   * are ignored.
   */
  default boolean signed(SignedNote note, String name) {
    boolean signed = false;
    for (SignedNote.Line line : note.lines()) {
      List<byte[]> signers =
          checkpointKeys().stream()
              .filter(key ->
                  line.name().equals(name)
                      && Arrays.equals(
                          line.keyHash(), SignedNote.keyHash(name, SignedNote.ED25519, key)))
              .toList();
      if (!signers.isEmpty()) {
        signed = true;
        if (signers.stream().noneMatch(key -> holds(key, note.signedBytes(), line.signature()))) {
          return false;
        }
      }
    }
    return signed;
  }
}
