package dev.safeconduct.verify;

import dev.safeconduct.json.RawMember;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sent bytes of the contexts in a list of evaluations. They are extracted on demand, because
 * only approvals need them.
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
