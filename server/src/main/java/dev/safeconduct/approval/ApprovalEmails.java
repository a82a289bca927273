package dev.safeconduct.approval;

import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.mail.Email;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Emails the owners and admins of an organization when an action waits for approval. The link in
 * the email leads to the console, which requires login. Following the link alone does not answer
 * the approval.
 *
 * <p>If another approval of the agent, opened a short time before, waits as well, the email is sent
 * later, about all that were opened until then: the earlier one may not have led to an email.
 */
public final class ApprovalEmails {
  private static final String KIND = "approval";
  static final String LATER = "approval_later";
  private static final int MOST = 20;

  /**
   * The minimum time between emails for one agent, so that repeated requests do not fill mailboxes.
   */
  static final Duration QUIET = Duration.ofMinutes(10);

  private final Approvals approvals;
  private final Memberships memberships;
  private final String baseUrl;
  private final InstantSource clock;

  public ApprovalEmails(
      Approvals approvals, Memberships memberships, String baseUrl, InstantSource clock) {
    this.approvals = approvals;
    this.memberships = memberships;
    this.baseUrl = baseUrl;
    this.clock = clock;
  }

  public Map<String, EmailTemplate> writers() {
    return Map.of(KIND, this::write, LATER, this::writeLater);
  }

  /** Returns the emails to those of the administrators who can be reached. */
  List<OutboxEntry> entries(Approval approval, List<Account> administrators) {
    return reachable(administrators)
        .map(account ->
            OutboxEntry.of(
                id(),
                KIND,
                approval.id() + " " + approval.org().value() + " " + account.id(),
                approval.createdAt()))
        .toList();
  }

  /** Returns how the subjects of an agent's later emails begin; the account follows. */
  static String begins(Approval approval) {
    return approval.org().value() + " " + approval.agentId() + " ";
  }

  /**
   * Returns emails to the same people for the end of the quiet time.
   *
   * @param waiting the subjects of those that wait for it already, which are for this one, too
   */
  List<OutboxEntry> later(Approval approval, List<Account> administrators, Set<String> waiting) {
    Instant now = approval.createdAt();
    return reachable(administrators)
        .map(account -> begins(approval) + account.id())
        .filter(subject -> !waiting.contains(subject))
        .map(subject -> new OutboxEntry(id(), LATER, subject, now, 0, now.plus(QUIET)))
        .toList();
  }

  private static Stream<Account> reachable(List<Account> administrators) {
    return administrators.stream().filter(Account::isReachable).limit(MOST);
  }

  private static String id() {
    return "mail_" + UUID.randomUUID().toString().replace("-", "");
  }

  private Optional<Email> write(OutboxEntry entry) {
    String[] parts = entry.subject().split(" ", 3);
    if (parts.length < 3) {
      return Optional.empty();
    }
    Optional<Approval> approval =
        Approval.decisionOf(parts[0])
            .flatMap(id -> approvals.find(new Tenant.One(new OrgId(parts[1])), id))
            .filter(found -> found.status(clock.instant()) == Approval.Status.PENDING);
    return approval.flatMap(waiting -> emailTo(parts[2], waiting));
  }

  /** Writes about the oldest waiting approval that was opened since the email was stored. */
  private Optional<Email> writeLater(OutboxEntry entry) {
    String subject = entry.subject();
    int first = subject.indexOf(' ');
    int last = subject.lastIndexOf(' ');
    return approvals
        .waiting(
            new OrgId(subject.substring(0, first)),
            subject.substring(first + 1, last),
            clock.instant(),
            Approval.MOST_WAITING)
        .stream()
        .filter(approval -> !approval.createdAt().isBefore(entry.createdAt()))
        .min(Comparator.comparing(Approval::createdAt))
        .flatMap(waiting -> emailTo(subject.substring(last + 1), waiting));
  }

  /** Writes to an account, unless it has lost its role since the email was stored. */
  private Optional<Email> emailTo(String account, Approval approval) {
    return memberships
        .find(approval.org(), account)
        .filter(listed -> listed.member().role().administers() && listed.account().isReachable())
        .map(listed -> email(approval, listed.account()));
  }

  private Email email(Approval approval, Account to) {
    return new Email(
        to.email().value(),
        "An agent is waiting for your approval",
        List.of(
            "The agent "
                + Email.inert(approval.agentId())
                + " requests an action that a person must approve.",
            "The request expires at "
                + approval.expiresAt()
                + ". Without an answer it stays denied."),
        "Review the request",
        baseUrl + "/console/approvals/" + approval.id(),
        "If you did not expect this, refuse the request and suspend the agent.");
  }
}
