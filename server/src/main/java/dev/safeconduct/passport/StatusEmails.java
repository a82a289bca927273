package dev.safeconduct.passport;

import dev.safeconduct.access.LocalRateLimits;
import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimitResult;
import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.mail.Email;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Emails the owners of an organization when the status of its passports changes: one email for each
 * owner and request. The person who claims a passport is such an owner.
 */
public final class StatusEmails {
  /** The subject is the account, the status, the number of passports, and some of their ids. */
  private static final String CHANGED = "status_changed";

  /** The maximum number of emails about one request, and to the owners of one organization. */
  private static final int MOST = 1_000;

  private static final int MOST_OF_ONE = 100;

  /**
   * How many emails an owner gets about one passport, and about all: so many at once, and then one
   * every 10 minutes, and every minute. Each node counts in memory, because it counts in the
   * transaction of the change, for which all others wait.
   */
  private static final Rate PER_AGENT = new Rate("status-emails", 6, Duration.ofHours(1));

  private static final Rate PER_OWNER = new Rate("status-emails-all", 60, Duration.ofHours(1));

  /** Follows the status in the last email that an owner gets for a while. */
  private static final String LAST = "!";

  /** The maximum number of passports that an email names. */
  private static final int NAMED = 20;

  private final Passports passports;
  private final Accounts accounts;
  private final Memberships members;
  private final LocalRateLimits limits;
  private final String baseUrl;

  public StatusEmails(
      Passports passports,
      Accounts accounts,
      Memberships members,
      LocalRateLimits limits,
      String baseUrl) {
    this.passports = passports;
    this.accounts = accounts;
    this.members = members;
    this.limits = limits;
    this.baseUrl = baseUrl;
  }

  public Map<String, EmailTemplate> writers() {
    return Map.of(CHANGED, this::changed);
  }

  /**
   * Returns receivers that store the emails in the transaction of the change, and then do what the
   * others do.
   *
   * @param mailWaits is told that there are emails to send
   */
  public StatusReceivers before(StatusReceivers others, Runnable mailWaits) {
    return new StatusReceivers() {
      @Override
      public <T> Mutation<T> emailed(
          List<StatusChange> changes, Mutation<T> stored, Predicate<T> done) {
        Map<String, List<StatusChange>> byOwner = byOwner(changes);
        var emails = new ArrayList<OutboxEntry>();
        return connection -> {
          MutationResult<T> result = stored.apply(connection);
          if (done.test(result.answer())) {
            if (emails.isEmpty()) { // a transaction that is repeated counts once
              byOwner.forEach((owner, theirs) -> entry(owner, theirs).ifPresent(emails::add));
            }
            Outbox.insert(connection, emails);
          }
          return result;
        };
      }

      @Override
      public Delivery notifyOf(List<StatusChange> changes) {
        mailWaits.run();
        return others.notifyOf(changes);
      }
    };
  }

  /** Returns the changes that each owner gets an email about. */
  private Map<String, List<StatusChange>> byOwner(List<StatusChange> changes) {
    var ownersOf = new LinkedHashMap<OrgId, List<String>>();
    var byOwner = new LinkedHashMap<String, List<StatusChange>>();
    for (StatusChange change : changes) {
      for (String owner :
          ownersOf.computeIfAbsent(
              change.owner(), org -> members.owners(Optional.of(org), MOST_OF_ONE))) {
        if (byOwner.size() < MOST || byOwner.containsKey(owner)) {
          byOwner.computeIfAbsent(owner, _ -> new ArrayList<>()).add(change);
        }
      }
    }
    return byOwner;
  }

  /**
   * All changes of a request are to one status, at one time. A status that is changed again and
   * again sends a bounded number of emails, which leave room for those about other passports; the
   * last one says that not all follow.
   */
  private Optional<OutboxEntry> entry(String account, List<StatusChange> changes) {
    long left =
        changes.size() == 1
            ? left(PER_AGENT, account + " " + changes.getFirst().agent().value())
            : PER_OWNER.times();
    if (left >= 0) {
      left = Math.min(left, left(PER_OWNER, account));
    }
    if (left < 0) {
      return Optional.empty();
    }
    boolean last = left == 0;
    var subject = new ArrayList<String>();
    subject.add(account);
    subject.add(changes.getFirst().status().wire() + (last ? LAST : ""));
    subject.add(String.valueOf(changes.size()));
    changes.stream().limit(NAMED).forEach(change -> subject.add(change.agent().value()));
    return Optional.of(
        OutboxEntry.of(
            "mail_" + UUID.randomUUID().toString().replace("-", ""),
            CHANGED,
            String.join(" ", subject),
            changes.getFirst().updatedAt()));
  }

  /** Returns how many emails are left after this one; negative if this one is too many. */
  private long left(Rate rate, String key) {
    RateLimitResult taken = limits.take(rate, key);
    return taken.granted() ? taken.left() : -1;
  }

  /**
   * Writes no email about passports whose status has changed again meanwhile, except the one that
   * says that not all follow.
   */
  private Optional<Email> changed(OutboxEntry entry) {
    List<String> subject = Arrays.asList(entry.subject().split(" ", -1));
    boolean last = subject.get(1).endsWith(LAST);
    String status = subject.get(1).replace(LAST, "");
    List<Passport> found =
        subject.subList(3, subject.size()).stream()
            .flatMap(agent -> AgentId.hosted(agent).flatMap(passports::find).stream())
            .toList();
    List<Passport> still = found.stream().filter(each -> has(each, status)).toList();
    List<Passport> named = last && still.isEmpty() ? found : still;
    return named.isEmpty()
        ? Optional.empty()
        : accounts
            .find(subject.getFirst())
            .filter(Account::isReachable)
            .map(owner ->
                email(owner, status, Integer.parseInt(subject.get(2)), named, last, entry));
  }

  private Email email(
      Account owner,
      String status,
      int count,
      List<Passport> named,
      boolean last,
      OutboxEntry entry) {
    boolean one = count == 1;
    String what = one ? "The passport \"" + name(named.getFirst()) + "\"" : count + " passports";
    boolean still = has(named.getFirst(), status);
    String is =
        still
            ? (one ? " is " : " are ") + (status.equals("revoked") ? "revoked for good" : status)
            : (one ? " was" : " were") + " changed to " + status;
    var text = new ArrayList<String>();
    text.add(
        what
            + " at "
            + baseUrl
            + is
            + (still ? " since " : " at ")
            + entry.createdAt()
            + ". "
            + (still ? effect(status, one) : "The status has changed again since."));
    if (!one) {
      text.add(
          String.join(", ", named.stream().map(each -> "\"" + name(each) + "\"").toList())
              + (count > NAMED ? ", and others" : ""));
    }
    if (last) {
      text.add(
          "The status changes so often that you get no email about some of the next changes; the"
              + " audit log has them all.");
    }
    return new Email(
        owner.email().value(),
        what + is,
        text,
        one ? "Open the passport" : "Open the audit log",
        one
            ? baseUrl + "/console/passports/" + named.getFirst().agentId().value()
            : baseUrl + "/console/audit?kind=status_change",
        "If you did not expect this, read in the audit log who changed it and why.");
  }

  private static String effect(String status, boolean one) {
    return status.equals("active")
        ? (one ? "Its" : "Their") + " rules decide again."
        : "Every request is denied.";
  }

  private static boolean has(Passport passport, String status) {
    return passport.status().wire().equals(status);
  }

  private static String name(Passport passport) {
    return Email.inert(passport.document().string("name").orElse(passport.agentId().value()));
  }
}
