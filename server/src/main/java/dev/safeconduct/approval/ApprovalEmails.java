package dev.safeconduct.approval;

import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.mail.Email;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Emails the owners and admins of an organization when an action waits for approval. The link in
 * the email leads to the console, which requires login. Following the link alone does not answer
 * the approval.
 */
public final class ApprovalEmails {
  private static final String KIND = "approval";
  private static final int MOST = 20;

  /**
   * The minimum time between emails for one agent, so that repeated requests do not fill mailboxes.
   */
  private static final Duration QUIET = Duration.ofMinutes(10);

  /**
   * A total order of approvals, so that one of two simultaneous approvals triggers an email.
   * Without it, each could suppress the other.
   */
  private static final Comparator<Approval> EARLIER =
      Comparator.comparing(Approval::createdAt).thenComparing(Approval::decisionId);

  private final Approvals approvals;
  private final Accounts accounts;
  private final Memberships members;
  private final Outbox outbox;
  private final String baseUrl;
  private final InstantSource clock;

  public ApprovalEmails(
      Approvals approvals,
      Accounts accounts,
      Memberships members,
      Outbox outbox,
      String baseUrl,
      InstantSource clock) {
    this.approvals = approvals;
    this.accounts = accounts;
    this.members = members;
    this.outbox = outbox;
    this.baseUrl = baseUrl;
    this.clock = clock;
  }

  public Map<String, EmailTemplate> writers() {
    return Map.of(KIND, this::write);
  }

  /**
   * Emails the people who may answer, unless an earlier approval of the same agent was just
   * announced.
   */
  public void announce(Approval approval) {
    boolean announced =
        approvals
            .waiting(approval.org(), approval.agentId(), clock.instant(), Approval.MOST_WAITING)
            .stream()
            .anyMatch(other ->
                EARLIER.compare(other, approval) < 0
                    && other.createdAt().plus(QUIET).isAfter(approval.createdAt()));
    if (announced) {
      return;
    }
    members.list(approval.org(), Optional.empty(), 200).stream()
        .filter(listed -> listed.member().role().administers() && listed.account().isReachable())
        .limit(MOST)
        .forEach(listed ->
            outbox.add(
                OutboxEntry.of(
                    "mail_" + UUID.randomUUID().toString().replace("-", ""),
                    KIND,
                    approval.id() + " " + approval.org().value() + " " + listed.account().id(),
                    clock.instant())));
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
    return approval.flatMap(waiting -> accounts.find(parts[2]).map(to -> email(waiting, to)));
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
