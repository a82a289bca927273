package dev.safeconduct.audit.stream;

import dev.safeconduct.config.Background;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.telemetry.OtlpLogs;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the streams of the audit log going. Of several nodes on one database, one sends to a
 * destination; the others take over when it shows no sign of life.
 */
public final class AuditStreams implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditStreams.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  /** A holder's beat is a second apart; a busy database may delay it. */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  /** What one stream does on this node; only the keeper's thread changes it. */
  private static final class Watch {
    private final AuditStream stream;
    private final StreamCounts counts;
    private volatile @Nullable StreamSender sender;
    private StreamSender.@Nullable Progress saved;
    private @Nullable StreamCursor seen;
    private long seenAt;

    private Watch(AuditStream stream, StreamCounts counts) {
      this.stream = stream;
      this.counts = counts;
    }
  }

  /**
   * How this service names itself to destinations.
   *
   * @param version of this service
   * @param hostname the host of its public address
   */
  public record Sender(String version, String hostname) {}

  private final List<Watch> watches;
  private final StreamCursors cursors;
  private final StreamedLog log;
  private final Sender sender;
  private final InstantSource clock;
  private final String me = UUID.randomUUID().toString();
  private final Background keeper = Background.named("audit-streams", this::keep);
  private volatile boolean closing;

  /** {@code counts}: the metrics of each destination, by its name. */
  public AuditStreams(
      List<AuditStream> streams,
      Storage store,
      Sender sender,
      Function<String, StreamCounts> counts,
      InstantSource clock) {
    this.cursors = new StreamCursors(store);
    this.log = new StreamedLog(store);
    this.sender = sender;
    this.clock = clock;
    this.watches =
        streams.stream().map(each -> new Watch(each, counts.apply(each.name()))).toList();
  }

  /**
   * How far a destination lags behind the log.
   *
   * @param records those that it has not acknowledged
   * @param age how long ago the oldest of them was made
   */
  public record Lag(long records, Duration age) {}

  /** A stream as an operator sees it. */
  record State(
      AuditStream stream,
      StreamCursor cursor,
      Lag lag,
      boolean sentHere,
      long countSetAside,
      List<StreamCursors.SetAside> setAside) {
    State {
      setAside = List.copyOf(setAside);
    }
  }

  public void start() {
    if (!watches.isEmpty()) {
      keeper.start();
    }
  }

  private void keep() {
    while (!closing) {
      for (Watch watch : watches) {
        try {
          tend(watch);
        } catch (Throwable e) { // even an Error must not end the thread: it keeps the hold alive
          LOG.atLevel(StoreUnavailable.level(e))
              .log("The audit stream to {} waits: {}", watch.stream.name(), e.getMessage());
        }
      }
      if (!closing) {
        LockSupport.parkNanos(this, EVERY.toNanos());
      }
    }
  }

  private void tend(Watch watch) {
    StreamSender running = watch.sender;
    if (running == null) {
      if (mayTake(watch)) {
        begin(watch);
      }
      return;
    }
    running.endIfStuck();
    StreamSender.Progress now = running.progress();
    if ((cursors.isShared() || !now.equals(watch.saved)) && !save(watch, now, me)) {
      LOG.warn("Another node has taken the audit stream to {}.", watch.stream.name());
      watch.sender = null;
      watch.seen = null;
      running.close();
    }
  }

  private boolean save(Watch watch, StreamSender.Progress now, String holder) {
    boolean saved =
        cursors.save(new StreamCursor(watch.stream.name(), now, holder, 0, clock.instant()), me);
    watch.saved = now;
    return saved;
  }

  /** Returns whether nobody else sends; creates the row of a new destination. */
  private boolean mayTake(Watch watch) {
    Optional<StreamCursor> row = cursors.find(watch.stream.name());
    if (row.isEmpty()) {
      long next = watch.stream.fromStart() ? 0 : log.size();
      cursors.create(
          watch.stream.name(),
          next,
          next == 0 ? "" : log.commitment(next - 1).orElse(""),
          clock.instant());
      row = cursors.find(watch.stream.name());
    }
    StreamCursor found = row.orElseThrow();
    StreamCursor before = watch.seen;
    if (before == null
        || !before.holder().equals(found.holder())
        || before.beat() != found.beat()) {
      watch.seen = found;
      watch.seenAt = System.nanoTime();
    }
    return !cursors.isShared()
        || found.holder().isEmpty()
        || System.nanoTime() - watch.seenAt >= SILENCE.toNanos();
  }

  private void begin(Watch watch) {
    StreamCursor start = watch.seen;
    if (start == null || !cursors.take(start, me)) {
      watch.seen = null;
      return;
    }
    // What another node has saved since the row was seen must not be sent as if it were new.
    StreamCursor taken = cursors.find(watch.stream.name()).orElse(start);
    var begun =
        new StreamSender(
            watch.stream,
            receiver(watch.stream),
            log,
            cursors,
            taken.progress(),
            watch.counts,
            clock);
    watch.saved = null;
    watch.sender = begun;
    begun.start();
    LOG.info(
        "This node sends the audit log to {} from position {} on.",
        watch.stream.name(),
        taken.progress().resend());
  }

  private StreamReceiver receiver(AuditStream stream) {
    return switch (stream.protocol()) {
      case SYSLOG_TLS, SYSLOG_TCP ->
          new SyslogReceiver(
              stream,
              new SyslogMessage(
                  sender.hostname(), sender.version(), stream.options().messageBytes()));
      case NDJSON -> new HttpReceiver(stream, new StreamBody.Lines());
      case SPLUNK -> new HttpReceiver(stream, new StreamBody.SplunkEvents(sender.hostname()));
      case OTLP ->
          new HttpReceiver(
              stream, new StreamBody.Otlp(new OtlpLogs(sender.version(), sender.hostname())));
    };
  }

  public List<String> names() {
    return watches.stream().map(watch -> watch.stream.name()).toList();
  }

  /**
   * Returns a destination's lag, also when another node sends.
   *
   * @throws dev.safeconduct.error.ProblemException {@code Unavailable} when the store fails
   */
  public Lag lag(String name) {
    return lag(
        watches.stream().filter(each -> each.stream.name().equals(name)).findFirst().orElseThrow());
  }

  private Lag lag(Watch watch) {
    StreamSender running = watch.sender;
    long size = log.size();
    long next =
        running != null
            ? running.progress().next()
            : cursors.find(watch.stream.name()).map(row -> row.progress().next()).orElse(size);
    return next >= size
        ? new Lag(0, Duration.ZERO)
        : new Lag(
            size - next,
            log.time(next)
                .map(at -> Duration.between(at, clock.instant()))
                .filter(Duration::isPositive)
                .orElse(Duration.ZERO));
  }

  /** Returns the destinations in the order of the setting. */
  List<State> states(int mostSetAside) {
    return watches.stream().flatMap(watch -> state(watch, mostSetAside).stream()).toList();
  }

  private Optional<State> state(Watch watch, int mostSetAside) {
    String name = watch.stream.name();
    return cursors
        .find(name)
        .map(row ->
            new State(
                watch.stream,
                current(watch, row),
                lag(watch),
                watch.sender != null,
                cursors.countSetAside(name),
                cursors.setAside(name, mostSetAside)));
  }

  /** The row, with what this node knows and has not saved yet. */
  private static StreamCursor current(Watch watch, StreamCursor row) {
    StreamSender running = watch.sender;
    if (running == null) {
      return row;
    }
    return new StreamCursor(
        row.name(), running.progress(), row.holder(), row.beat(), row.updatedAt());
  }

  /** Ends sending, and lets another node go on at once. */
  @Override
  public void close() {
    closing = true;
    keeper.wake();
    keeper.awaitEnd();
    for (Watch watch : watches) {
      StreamSender running = watch.sender;
      if (running != null) {
        running.close();
        try {
          boolean _ = save(watch, running.progress(), "");
        } catch (RuntimeException e) {
          LOG.debug("the position of a stream was not saved", e);
        }
      }
    }
  }
}
