package dev.safeconduct.audit.stream;

import dev.safeconduct.audit.stream.StreamCursors.SetAside;
import dev.safeconduct.config.Background;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.ledger.StoredRecord;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the log to one destination, in order, on a thread of its own, while this node holds the
 * stream. After a break it begins again at the last position that is certain, so records may arrive
 * twice and none is left out.
 */
final class StreamSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamSender.class);

  private static final int MOST_RECORDS = 500;

  /** Unconfirmed records are few enough for a slow receiver to read within its time. */
  private static final int MOST_UNCONFIRMED = 5_000;

  /** How many records in a row a receiver may refuse before it counts as broken itself. */
  private static final int MOST_REFUSED = 16;

  /** After so many breaks a record has been confirmed as many times. */
  private static final int BREAKS = 3;

  private static final Duration IDLE = Duration.ofMillis(200);
  private static final Duration FIRST_WAIT = Duration.ofMillis(250);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final Duration LOG_EVERY = Duration.ofMinutes(10);

  /** The longest that a batch, or its confirmation, may take; a connection can hang for ever. */
  private static final Duration LONGEST_SEND = Duration.ofMinutes(2);

  /** Closer positions are joined: a destination may confirm thousands of batches a minute. */
  private static final Duration CONFIRMED_EVERY = Duration.ofSeconds(1);

  private static final int MOST_SHOWN = 300;

  /** The longest pause in favour of waiting decisions. */
  private static final Duration LONGEST_BREATH = Duration.ofMillis(50);

  /**
   * How far the destination has come.
   *
   * @param next the first position that is not acknowledged
   * @param resend where to begin after a break
   * @param commitment of the record before {@code resend}, as hex digits
   */
  record Progress(
      long next,
      long resend,
      String commitment,
      Optional<Instant> failingSince,
      Optional<String> error) {}

  /** A position that was confirmed at a time of {@link System#nanoTime}. */
  private record Confirmed(long next, String commitment, long nanos) {}

  private final AuditStream stream;
  private final StreamReceiver receiver;
  private final StreamedLog log;
  private final StreamCursors cursors;
  private final StreamCounts counts;
  private final InstantSource clock;
  private final Background thread;

  /** Positions from the certain one on, the last is the acknowledged one. */
  private final Deque<Confirmed> confirmed = new ArrayDeque<>();

  /** How far the last connections had come when they broke. */
  private final Deque<Confirmed> broken = new ArrayDeque<>();

  private final List<SetAside> refused = new ArrayList<>();
  private volatile Progress progress;
  private volatile boolean closing;
  private volatile @Nullable Long sendingSince;
  private long next;
  private String lastCommitment;
  private long unconfirmedSince;
  private int limit = MOST_RECORDS;
  private int failures;
  private long logged;

  StreamSender(
      AuditStream stream,
      StreamReceiver receiver,
      StreamedLog log,
      StreamCursors cursors,
      Progress start,
      StreamCounts counts,
      InstantSource clock) {
    this.stream = stream;
    this.receiver = receiver;
    this.log = log;
    this.cursors = cursors;
    this.counts = counts;
    this.clock = clock;
    this.next = start.resend();
    this.lastCommitment = start.commitment();
    confirmed.add(new Confirmed(start.resend(), start.commitment(), System.nanoTime()));
    this.progress =
        new Progress(
            start.resend(),
            start.resend(),
            start.commitment(),
            start.failingSince(),
            start.error());
    this.thread = Background.named("audit-stream-" + stream.name(), this::run);
  }

  void start() {
    thread.start();
  }

  Progress progress() {
    return progress;
  }

  /** Ends a connection on which a batch makes no progress; the sender then connects again. */
  void endIfStuck() {
    Long since = sendingSince;
    if (since != null && System.nanoTime() - since > LONGEST_SEND.toNanos()) {
      receiver.close();
    }
  }

  private void run() {
    while (!closing) {
      Duration pause;
      try {
        pause = round();
      } catch (IOException e) {
        pause = broke(e);
      } catch (ProblemException e) {
        LOG.atLevel(StoreUnavailable.level(e))
            .log(
                "The audit stream to {} waits for the database: {}", stream.name(), e.getMessage());
        pause = LONGEST_WAIT.dividedBy(10);
      } catch (Throwable e) { // even an Error must not end the stream
        if (failures == 0) {
          LOG.error("The audit stream to {} failed; it begins again.", stream.name(), e);
        }
        pause = broke(new IOException("this service failed: " + e, e));
      }
      if (!closing && pause.isPositive()) {
        LockSupport.parkNanos(this, pause.toNanos());
      }
    }
    receiver.close();
  }

  /** Sends a batch and returns how long to wait before the next. */
  private Duration round() throws IOException {
    if (log.isRefused()) {
      return LONGEST_WAIT.dividedBy(10);
    }
    Optional<String> changed = otherLog();
    if (changed.isPresent()) {
      failed(changed.get());
      return LONGEST_WAIT;
    }
    long began = System.nanoTime();
    StreamedLog.Batch read = log.read(next, limit);
    List<StoredRecord> batch = read.records();
    if (batch.isEmpty()) {
      return idle();
    }
    if (batch.getFirst().logIndex() != next
        || batch.getLast().logIndex() != next + batch.size() - 1) {
      failed("The log lacks records from position " + next + " on. Run: safeconduct audit verify");
      return LONGEST_WAIT;
    }
    send(batch);
    if (isConfirmationDue()) {
      confirm();
    }
    settle();
    if (!read.more()) {
      return IDLE;
    }
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    Duration breath = took.compareTo(LONGEST_BREATH) < 0 ? took : LONGEST_BREATH;
    return log.isBusy() ? breath : Duration.ZERO;
  }

  private void send(List<StoredRecord> batch) throws IOException {
    List<StreamRecord> records =
        batch.stream().map(stored -> StreamRecord.of(stored, stream.format())).toList();
    if (next == confirmed.getLast().next()) {
      unconfirmedSince = System.nanoTime();
    }
    Optional<StreamReceiver.Rejection> rejection;
    sendingSince = System.nanoTime();
    try {
      rejection = receiver.send(records);
    } catch (StreamException e) {
      if (!e.isAboutTheRecords()) {
        throw e;
      }
      refused(records, e);
      return;
    } finally {
      sendingSince = null;
    }
    if (rejection.isPresent()) {
      long count = rejection.get().records(); // a number that is not possible means all of them
      boolean isPossible = count > 0 && count < records.size();
      refused.add(aside(records, isPossible ? count : records.size(), rejection.get().answer()));
    }
    if (!refused.isEmpty()) { // the receiver has taken a later record, so these are the cause
      cursors.setAside(stream.name(), refused);
      refused.forEach(each ->
          LOG.error(
              "The destination {} refuses {} of the records {} to {}; they are set aside: {}",
              stream.name(),
              each.records(),
              each.first(),
              each.last(),
              each.answer()));
      refused.forEach(each -> counts.setAside(each.records()));
      refused.clear();
    }
    counts.sent(records.size());
    StoredRecord last = batch.getLast();
    next = last.logIndex() + 1;
    lastCommitment = HexFormat.of().formatHex(last.commitment().entry());
    limit = Math.min(MOST_RECORDS, limit * 2);
  }

  /** Finds the record that is refused, then sees whether the receiver takes a later one. */
  private void refused(List<StreamRecord> records, StreamException answer) throws IOException {
    if (records.size() > 1) {
      limit = Math.max(1, records.size() / 2);
      return;
    }
    limit = 1;
    refused.add(aside(records, 1, String.valueOf(answer.getMessage())));
    if (refused.size() > MOST_REFUSED) {
      throw answer;
    }
    next = records.getFirst().index() + 1;
  }

  private SetAside aside(List<StreamRecord> records, long count, String answer) {
    return new SetAside(
        records.getFirst().index(),
        records.getLast().index(),
        count,
        plain(answer),
        clock.instant());
  }

  private Duration idle() throws IOException {
    if (!refused.isEmpty()) { // there is no later record that the receiver could take
      throw new StreamException(refused.getFirst().answer(), true, Duration.ZERO);
    }
    if (next == confirmed.getLast().next()) {
      receiver.check();
      failures = 0; // nothing waits any more
    } else if (isConfirmationDue()) {
      confirm();
    }
    settle();
    return IDLE;
  }

  private boolean isConfirmationDue() {
    long unconfirmed = next - confirmed.getLast().next();
    return refused.isEmpty()
        && unconfirmed > 0
        && (unconfirmed >= MOST_UNCONFIRMED
            || System.nanoTime() - unconfirmedSince >= receiver.confirmEvery().toNanos());
  }

  private void confirm() throws IOException {
    sendingSince = System.nanoTime();
    try {
      receiver.confirm();
    } finally {
      sendingSince = null;
    }
    if (confirmed.size() > 1) {
      Confirmed last = confirmed.removeLast();
      if (System.nanoTime() - confirmed.getLast().nanos() >= CONFIRMED_EVERY.toNanos()) {
        confirmed.addLast(last);
      }
    }
    confirmed.add(new Confirmed(next, lastCommitment, System.nanoTime()));
    if (failures > 0) {
      LOG.info("The audit stream to {} goes on at position {}.", stream.name(), next);
    }
    failures = 0;
    logged = 0;
  }

  /** Moves the certain position on. */
  private void settle() {
    long old = System.nanoTime() - stream.resend().toNanos();
    while (confirmed.size() > 1 && second().nanos() - old <= 0) {
      confirmed.removeFirst();
    }
    publish(failures == 0 ? Optional.empty() : progress.failingSince(), progress.error());
  }

  private Confirmed second() {
    var all = confirmed.iterator();
    all.next();
    return all.next();
  }

  private void publish(Optional<Instant> since, Optional<String> error) {
    Confirmed first = confirmed.getFirst();
    progress =
        new Progress(
            confirmed.getLast().next(),
            first.next(),
            first.commitment(),
            since,
            since.isPresent() ? error : Optional.empty());
  }

  /** Goes back to the certain position and returns how long to wait. */
  private Duration broke(IOException cause) {
    receiver.close();
    if (closing) {
      return Duration.ZERO;
    }
    boolean nothingIsOpen = next == confirmed.getFirst().next() && refused.isEmpty();
    settle();
    broken.addLast(confirmed.getLast());
    if (broken.size() > BREAKS) {
      broken.removeFirst();
    }
    // What was confirmed before each of the last breaks counts as received, whatever its age: a
    // connection that never lives long would hold the stream back for ever.
    Confirmed first = confirmed.getFirst();
    if (broken.size() == BREAKS) {
      Confirmed least =
          broken.stream().min(Comparator.comparingLong(Confirmed::next)).orElseThrow();
      first = least.next() > first.next() ? least : first;
    }
    confirmed.clear();
    confirmed.add(first);
    next = first.next();
    lastCommitment = first.commitment();
    refused.clear();
    if (nothingIsOpen && cause instanceof EOFException) {
      return IDLE; // an idle connection has ended, as some receivers do it
    }
    failed(shown(cause));
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(failures - 1, 10));
    Duration capped = wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
    Duration jittered =
        capped.dividedBy(2).plusNanos(ThreadLocalRandom.current().nextLong(capped.toNanos() / 2));
    Duration asked = cause instanceof StreamException e ? e.waitAsked() : Duration.ZERO;
    return asked.compareTo(jittered) > 0 ? asked : jittered;
  }

  private void failed(String why) {
    failures++;
    counts.fails();
    if (failures == 1 || System.nanoTime() - logged > LOG_EVERY.toNanos()) {
      logged = System.nanoTime();
      LOG.warn("The audit stream to {} is interrupted: {}", stream.name(), why);
    }
    publish(Optional.of(progress.failingSince().orElseGet(clock::instant)), Optional.of(why));
  }

  private static String shown(IOException cause) {
    if (cause instanceof UnknownHostException
        || cause.getCause() instanceof UnresolvedAddressException) {
      return "the name of the host cannot be looked up";
    }
    if (cause instanceof ConnectException) { // the client of HTTP gives it no message
      return "the host cannot be connected to";
    }
    String message = cause.getMessage();
    return plain(message == null ? cause.getClass().getSimpleName() : message);
  }

  /**
   * The beginning of a text that may be the receiver's, in one line for the log and the database.
   */
  private static String plain(String text) {
    String line = text.replaceAll("(?U)[\\p{C}\\s]+", " ").strip();
    return line.codePointCount(0, line.length()) <= MOST_SHOWN
        ? line
        : line.substring(0, line.offsetByCodePoints(0, MOST_SHOWN));
  }

  /** Returns what is wrong when the log is not the one that was sent; asked after each break. */
  private Optional<String> otherLog() {
    Confirmed first = confirmed.getFirst();
    if (next != first.next() || next == 0 || first.commitment().isEmpty()) {
      return Optional.empty();
    }
    return log.commitment(first.next() - 1).filter(first.commitment()::equals).isPresent()
        ? Optional.empty()
        : Optional.of(
            "The record at position "
                + (first.next() - 1)
                + " is not the one that was sent: the log was restored from a backup or changed."
                + " To send this log, give the destination another name.");
  }

  @Override
  public void close() {
    closing = true;
    receiver.close();
    thread.wake();
    thread.awaitEnd();
  }
}
