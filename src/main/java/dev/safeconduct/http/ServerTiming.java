package dev.safeconduct.http;

import dev.safeconduct.trace.Progress;
import dev.safeconduct.trace.RequestSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A stopwatch over the stages of one request, shown in the {@code Server-Timing} header (W3C Server
 * Timing) and in the request's span, where it is traced. Not for several threads: what is done at
 * once has a {@link #part} each, and the header says what all of them took together.
 */
public final class ServerTiming implements Progress {
  private static final int MAX_STAGES = 8;

  private final LongSupplier nanos;
  private final @Nullable RequestSpan span;
  private final String[] stages = new String[MAX_STAGES];
  private final long[] spent = new long[MAX_STAGES];
  private int count;
  private long last;

  /** The stages of what was done side by side; they overlap, so the span does not show them. */
  private List<ServerTiming> parts = List.of();

  ServerTiming(LongSupplier nanos, @Nullable RequestSpan span) {
    this.nanos = nanos;
    this.span = span;
    this.last = nanos.getAsLong();
  }

  /** Books the time since the last mark under the stage: auth, policy, usage, sign or store. */
  @Override
  public void mark(String stage) {
    long now = nanos.getAsLong();
    add(stage, now - last);
    if (span != null) {
      span.stage(stage, last, now);
    }
    last = now;
  }

  private void add(String stage, long more) {
    int at = 0;
    while (at < count && !stages[at].equals(stage)) {
      at++;
    }
    if (at < MAX_STAGES) {
      if (at == count) {
        stages[count++] = stage;
      }
      spent[at] += more;
    }
  }

  @Override
  public boolean isTraced() {
    return span != null && span.isTraced();
  }

  @Override
  public void decided(String policy, boolean allow, String code, String id) {
    if (span != null) {
      span.decided(policy, allow, code, id);
    }
  }

  /** To be asked for where the part begins, on any thread; all are over when they are read. */
  @Override
  public synchronized Progress part() {
    var part = new Part(new ServerTiming(nanos, null), span == null ? Progress.UNHEARD : span);
    if (parts.isEmpty()) {
      parts = new ArrayList<>();
    }
    parts.add(part.watch);
    return part;
  }

  /** Keeps its own time and tells the request's span what was decided. */
  private record Part(ServerTiming watch, Progress listener) implements Progress {
    @Override
    public void mark(String stage) {
      watch.mark(stage);
    }

    @Override
    public boolean isTraced() {
      return listener.isTraced();
    }

    @Override
    public void decided(String policy, boolean allow, String code, String id) {
      listener.decided(policy, allow, code, id);
    }

    @Override
    public Progress part() {
      return listener.part();
    }
  }

  /** Tells each stage's nanoseconds, of each part by itself. */
  void forEach(ObjLongConsumer<String> action) {
    for (int i = 0; i < count; i++) {
      action.accept(stages[i], spent[i]);
    }
    parts.forEach(part -> part.forEach(action));
  }

  /** Durations in milliseconds with three digits: {@code auth;dur=0.012, policy;dur=0.103}. */
  String header() {
    if (parts.isEmpty()) {
      return text();
    }
    var all = new ServerTiming(nanos, null);
    forEach(all::add);
    return all.text();
  }

  private String text() {
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
