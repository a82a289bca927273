package dev.safeconduct.mail;

import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.identity.EmailAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the emails of the outbox in the background. Code that queues an email does not wait, so a
 * mail server that is down only delays the emails. No email is lost: each is claimed for one
 * attempt at a time, and stays in the queue until it is sent.
 */
public final class OutboxSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxSender.class);

  private static final int AT_A_TIME = 8;
  private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

  /** Longer than an attempt takes: an attempt is only known to have failed after this time. */
  private static final Duration FIRST_WAIT = Duration.ofMinutes(2);

  private static final Duration LONGEST_WAIT = Duration.ofHours(1);
  private static final Duration GIVEN_UP_AFTER = Duration.ofDays(3);
  private static final long ENDING_MS = 2_000;

  private final Outbox outbox;
  private final Map<String, EmailTemplate> writers;
  private final MailTransport carrier;
  private final InstantSource clock;
  private final LongAdder sent = new LongAdder();
  private final LongAdder givenUp = new LongAdder();
  private volatile long waiting;
  private final Semaphore triggered = new Semaphore(0);
  private final Thread round = Thread.ofVirtual().name("outbox-sender").unstarted(this::rounds);

  /**
   * Creates the sender.
   *
   * @param writers the templates by kind of email
   */
  public OutboxSender(
      Outbox outbox,
      Map<String, EmailTemplate> writers,
      MailTransport carrier,
      InstantSource clock) {
    this.outbox = outbox;
    this.writers = Map.copyOf(writers);
    this.carrier = carrier;
    this.clock = clock;
  }

  public void start() {
    round.start();
  }

  /** Wakes the sender for a new email, without waiting for the next round. */
  public void trigger() {
    triggered.release();
  }

  /** Returns the number of emails that waited after the last round. */
  public long waiting() {
    return waiting;
  }

  /** Returns the number of emails that this node has sent. */
  public long sent() {
    return sent.sum();
  }

  /** Returns the number of emails that this node has given up. */
  public long givenUp() {
    return givenUp.sum();
  }

  private void rounds() {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        deliverDue();
        waiting = outbox.waiting(clock.instant());
      } catch (RuntimeException e) {
        LOG.atLevel(StoreUnavailable.level(e)).log("The outbox cannot be read: {}", e.getMessage());
      }
      try {
        if (triggered.tryAcquire(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
          triggered.drainPermits();
        }
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Tries every email that is due once; returns how many. */
  public int deliverDue() {
    int tried = 0;
    while (!Thread.currentThread().isInterrupted()) {
      List<OutboxEntry> due = outbox.due(clock.instant(), AT_A_TIME);
      if (due.isEmpty()) {
        break;
      }
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        due.forEach(entry -> threads.execute(() -> deliver(entry)));
      }
      tried += due.size();
    }
    return tried;
  }

  private void deliver(OutboxEntry entry) {
    Instant now = clock.instant();
    try {
      if (outbox.take(entry, now.plus(wait(entry.attempts())))) {
        send(entry);
        outbox.done(entry.id());
        sent.increment();
      }
    } catch (MailTransportException e) {
      // The fault's cause may hold the person's address; the operator needs it to fix the problem.
      if (e.isForGood() || entry.createdAt().plus(GIVEN_UP_AFTER).isBefore(now)) {
        LOG.error("Email {} is given up: {} ({})", entry.id(), e.getMessage(), cause(e));
        outbox.giveUp(entry.id(), now, e.getMessage() + ": " + cause(e));
        givenUp.increment();
      } else {
        LOG.warn("Email {} waits: {} ({})", entry.id(), e.getMessage(), cause(e));
      }
    } catch (RuntimeException e) {
      LOG.warn("Email {} waits: {}", entry.id(), e.toString());
    }
  }

  private void send(OutboxEntry entry) throws MailTransportException {
    EmailTemplate writer = writers.get(entry.kind());
    if (writer == null) {
      throw new MailTransportException("this version has no email of kind " + entry.kind());
    }
    Optional<Email> email =
        writer.write(entry).filter(written -> !written.to().endsWith(EmailAddress.NOBODY));
    if (email.isPresent()) {
      carrier.carry(entry.id(), email.get());
    }
  }

  private static String cause(MailTransportException fault) {
    return fault.getCause() == null ? "" : String.valueOf(fault.getCause().getMessage());
  }

  static Duration wait(int attempts) {
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(attempts, 10));
    return wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait;
  }

  /** Stops after the round that is running, unless it takes long: its emails are sent later. */
  @Override
  public void close() {
    round.interrupt();
    try {
      round.join(ENDING_MS); // unlike that of a duration, it accepts a thread that has not started
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
