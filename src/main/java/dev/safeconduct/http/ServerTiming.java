package dev.safeconduct.http;

import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * A stopwatch over the stages of one request, shown in the {@code Server-Timing} header (W3C Server
 * Timing). Not for several threads.
 */
public final class ServerTiming {
  private static final int MAX_STAGES = 8;

  private final LongSupplier nanos;
  private final String[] stages = new String[MAX_STAGES];
  private final long[] spent = new long[MAX_STAGES];
  private int count;
  private long last;

  ServerTiming(LongSupplier nanos) {
    this.nanos = nanos;
    this.last = nanos.getAsLong();
  }

  /** Books the time since the last mark under the stage: auth, policy, usage, sign or store. */
  public void mark(String stage) {
    long now = nanos.getAsLong();
    int at = 0;
    while (at < count && !stages[at].equals(stage)) {
      at++;
    }
    if (at < MAX_STAGES) {
      if (at == count) {
        stages[count++] = stage;
      }
      spent[at] += now - last;
    }
    last = now;
  }

  /** Tells each stage's nanoseconds. */
  void forEach(ObjLongConsumer<String> action) {
    for (int i = 0; i < count; i++) {
      action.accept(stages[i], spent[i]);
    }
  }

  /** Durations in milliseconds with three digits: {@code auth;dur=0.012, policy;dur=0.103}. */
  String header() {
    var text = new StringBuilder(24 * count);
    for (int i = 0; i < count; i++) {
      long micros = (spent[i] + 500) / 1000;
      long fraction = micros % 1000;
      text.append(i == 0 ? "" : ", ").append(stages[i]).append(";dur=").append(micros / 1000);
      text.append(fraction < 10 ? ".00" : fraction < 100 ? ".0" : ".").append(fraction);
    }
    return text.toString();
  }
}
