package dev.safeconduct.passport;

import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.db.StoreUnavailable;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.mail.Email;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Emails the owners of an organization when the status of its passports changes: one email for each
 * owner and request. The person who claims a passport is such an owner.
 */
public final class StatusEmails {
  private static final Logger LOG = LoggerFactory.getLogger(StatusEmails.class);

  /** The subject is the account, the status, the number of passports, and some of their ids. */
  private static final String CHANGED = "status_changed";

  /** The maximum number of emails about one request. */
  private static final int MOST = 1_000;

  /** The maximum number of passports that an email names. */
  private static final int NAMED = 20;

  private final Passports passports;
  private final Accounts accounts;
  private final Memberships members;
  private final Outbox outbox;
  private final String baseUrl;

  public StatusEmails(
      Passports passports, Accounts accounts, Memberships members, Outbox outbox, String baseUrl) {
    this.passports = passports;
    this.accounts = accounts;
    this.members = members;
    this.outbox = outbox;
    this.baseUrl = baseUrl;
  }

  public Map<String, EmailTemplate> writers() {
    return Map.of(CHANGED, this::changed);
  }

  /**
   * Returns receivers that put the emails into the outbox and then do what the others do. The
   * change is committed by then, so no fault of the outbox undoes or fails it.
   *
   * @param mailWaits is told that there are emails to send
   */
  public StatusReceivers before(StatusReceivers others, Runnable mailWaits) {
    return changes -> {
      try {
        List<OutboxEntry> emails = about(changes);
        if (!emails.isEmpty()) {
          outbox.addAll(emails);
          mailWaits.run();
        }
      } catch (RuntimeException e) {
        LOG.atLevel(StoreUnavailable.level(e))
            .log("the owners get no email about a change of status: {}", e.getMessage());
      }
      return others.notifyOf(changes);
    };
  }

  private List<OutboxEntry> about(List<StatusChange> changes) {
    var ownersOf = new LinkedHashMap<OrgId, List<String>>();
    var byOwner = new LinkedHashMap<String, List<StatusChange>>();
    for (StatusChange change : changes) {
      for (String owner :
          ownersOf.computeIfAbsent(change.owner(), org -> members.owners(Optional.of(org), MOST))) {
        byOwner.computeIfAbsent(owner, _ -> new ArrayList<>()).add(change);
      }
    }
    return byOwner.entrySet().stream()
        .limit(MOST)
        .map(each -> entry(each.getKey(), each.getValue()))
        .toList();
  }

  /** All changes of a request are to one status, at one time. */
  private static OutboxEntry entry(String account, List<StatusChange> changes) {
    var subject = new ArrayList<String>();
    subject.add(account);
    subject.add(changes.getFirst().status().wire());
    subject.add(String.valueOf(changes.size()));
    changes.stream().limit(NAMED).forEach(change -> subject.add(change.agent().value()));
    return OutboxEntry.of(
        "mail_" + UUID.randomUUID().toString().replace("-", ""),
        CHANGED,
        String.join(" ", subject),
        changes.getFirst().updatedAt());
  }

  /** Writes no email about passports whose status has changed again meanwhile. */
  private Optional<Email> changed(OutboxEntry entry) {
    List<String> subject = Arrays.asList(entry.subject().split(" ", -1));
    String status = subject.get(1);
    List<Passport> named =
        subject.subList(3, subject.size()).stream()
            .flatMap(agent -> AgentId.hosted(agent).flatMap(passports::find).stream())
            .filter(passport -> passport.status().wire().equals(status))
            .toList();
    return named.isEmpty()
        ? Optional.empty()
        : accounts
            .find(subject.getFirst())
            .filter(Account::isReachable)
            .map(owner -> email(owner, status, Integer.parseInt(subject.get(2)), named, entry));
  }

  private Email email(
      Account owner, String status, int count, List<Passport> named, OutboxEntry entry) {
    boolean one = count == 1;
    String what = one ? "The passport \"" + name(named.getFirst()) + "\"" : count + " passports";
    String is = (one ? " is " : " are ") + (status.equals("revoked") ? "revoked for good" : status);
    var text = new ArrayList<String>();
    text.add(
        what
            + " at "
            + baseUrl
            + is
            + " since "
            + entry.createdAt()
            + ". "
            + (status.equals("active")
                ? (one ? "Its" : "Their") + " rules decide again."
                : "Every request is denied."));
    if (!one) {
      text.add(
          String.join(", ", named.stream().map(each -> "\"" + name(each) + "\"").toList())
              + (count > NAMED ? ", and others" : ""));
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

  private static String name(Passport passport) {
    return Email.inert(passport.document().string("name").orElse(passport.agentId().value()));
  }
}
