package dev.safeconduct.verify;

import dev.safeconduct.json.RawMember;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The contexts of a list of evaluations, byte by byte as they were sent; cut out when one is asked
 * for, which is where an approval comes into play.
 */
final class SentContexts {
  private final byte[] body;
  private @Nullable List<byte[]> evaluations;

  SentContexts(byte[] body) {
    this.body = body;
  }

  byte[] of(int evaluation) {
    return RawMember.of(evaluations().get(evaluation), "context").orElseThrow();
  }

  private synchronized List<byte[]> evaluations() {
    if (evaluations == null) {
      evaluations = RawMember.elements(RawMember.of(body, Evaluations.NAME).orElseThrow());
    }
    return evaluations;
  }
}
