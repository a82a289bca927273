package dev.safeconduct.http;

import dev.safeconduct.telemetry.Progress;
import dev.safeconduct.telemetry.RequestSpan;
import dev.safeconduct.text.Spares;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures the stages of one request for the {@code Server-Timing} header (W3C Server Timing) and
 * for the request's span, if it is traced. Not thread-safe: concurrent work uses a separate {@link
 * #part} each, and the header shows their sum.
 */
public final class ServerTiming implements Progress {
  private static final int MAX_STAGES = 8;
  private static final Spares<StringBuilder> SPARES = new Spares<>();

  private final LongSupplier nanos;
  private final @Nullable RequestSpan span;
  private final String[] stages = new String[MAX_STAGES];
  private final long[] spent = new long[MAX_STAGES];
  private int count;
  private long last;

  /** The timings of concurrent parts; they overlap, so the span does not show them. */
  private List<ServerTiming> parts = List.of();

  ServerTiming(LongSupplier nanos, @Nullable RequestSpan span) {
    this.nanos = nanos;
    this.span = span;
    this.last = nanos.getAsLong();
  }

  /** Adds the time since the last mark to the stage: auth, policy, usage, sign or store. */
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

  /**
   * Returns a new part. Call it at the start of the part, on any thread; parts must be complete
   * before they are read.
   */
  @Override
  public synchronized Progress part() {
    var part = new Part(new ServerTiming(nanos, null), span == null ? Progress.UNHEARD : span);
    if (parts.isEmpty()) {
      parts = new ArrayList<>();
    }
    parts.add(part.watch);
    return part;
  }

  /** Measures its own time and reports decisions to the request's span. */
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

  /** Passes each stage's nanoseconds to the action, separately for each part. */
  void forEach(ObjLongConsumer<String> action) {
    for (int i = 0; i < count; i++) {
      action.accept(stages[i], spent[i]);
    }
    parts.forEach(part -> part.forEach(action));
  }

  /**
   * Returns durations in milliseconds with three digits: {@code auth;dur=0.012, policy;dur=0.103}.
   */
  String header() {
    if (parts.isEmpty()) {
      return text();
    }
    var all = new ServerTiming(nanos, null);
    forEach(all::add);
    return all.text();
  }

  private String text() {
    StringBuilder spare = SPARES.take();
    StringBuilder text = spare == null ? new StringBuilder() : spare;
    text.setLength(0);
    for (int i = 0; i < count; i++) {
      long micros = (spent[i] + 500) / 1000;
      long fraction = micros % 1000;
      text.append(i == 0 ? "" : ", ").append(stages[i]).append(";dur=").append(micros / 1000);
      text.append(fraction < 10 ? ".00" : fraction < 100 ? ".0" : ".").append(fraction);
    }
    String all = text.toString();
    SPARES.giveBack(text);
    return all;
  }
}
