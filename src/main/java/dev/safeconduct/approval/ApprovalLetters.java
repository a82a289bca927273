package dev.safeconduct.approval;

import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.mail.Letter;
import dev.safeconduct.mail.LetterWriter;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.people.Account;
import dev.safeconduct.people.Accounts;
import dev.safeconduct.people.Memberships;
import dev.safeconduct.usage.Approval;
import dev.safeconduct.usage.Approvals;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Tells the owners and admins of an organization that an action waits for them. The letter's link
 * leads to the console, which asks who they are; nothing is answered by following it.
 */
public final class ApprovalLetters {
  private static final String KIND = "approval";
  private static final int MOST = 20;

  /** An agent that asks again and again fills no mailbox. */
  private static final Duration QUIET = Duration.ofMinutes(10);

  /**
   * One order for all of them, so that of two at the same moment one is told of: were each silenced
   * by the other, nobody would hear of either.
   */
  private static final Comparator<Approval> EARLIER =
      Comparator.comparing(Approval::createdAt).thenComparing(Approval::decisionId);

  private final Approvals approvals;
  private final Accounts accounts;
  private final Memberships members;
  private final Outbox outbox;
  private final String baseUrl;
  private final InstantSource clock;

  public ApprovalLetters(
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

  public Map<String, LetterWriter> writers() {
    return Map.of(KIND, this::write);
  }

  /** Writes to those who may answer, unless an earlier one of the agent's has just been told of. */
  public void tell(Approval approval) {
    boolean told =
        approvals
            .waiting(approval.org(), approval.agentId(), clock.instant(), Approval.MOST_WAITING)
            .stream()
            .anyMatch(other ->
                EARLIER.compare(other, approval) < 0
                    && other.createdAt().plus(QUIET).isAfter(approval.createdAt()));
    if (told) {
      return;
    }
    members.list(approval.org(), Optional.empty(), 200).stream()
        .filter(listed -> listed.member().role().administers() && isReachable(listed.account()))
        .limit(MOST)
        .forEach(listed ->
            outbox.add(
                OutboxEntry.of(
                    "mail_" + UUID.randomUUID().toString().replace("-", ""),
                    KIND,
                    approval.id() + " " + approval.org().value() + " " + listed.account().id(),
                    clock.instant())));
  }

  private static boolean isReachable(Account account) {
    return !account.isNameless() && account.password().isPresent();
  }

  private Optional<Letter> write(OutboxEntry entry) {
    String[] parts = entry.subject().split(" ", 3);
    if (parts.length < 3) {
      return Optional.empty();
    }
    Optional<Approval> approval =
        Approval.decisionOf(parts[0])
            .flatMap(id -> approvals.find(new Tenant.One(new OrgId(parts[1])), id))
            .filter(found -> found.status(clock.instant()) == Approval.Status.PENDING);
    return approval.flatMap(waiting -> accounts.find(parts[2]).map(to -> letter(waiting, to)));
  }

  private Letter letter(Approval approval, Account to) {
    return new Letter(
        to.email().value(),
        "An agent waits for your approval",
        List.of(
            "The agent "
                + Letter.inert(approval.agentId())
                + " wants to do something that a person has to approve first.",
            "It waits until " + approval.expiresAt() + "; unanswered, it stays denied."),
        "See what it wants",
        baseUrl + "/console/approvals/" + approval.id(),
        "If you do not expect it, refuse it, and suspend the agent.");
  }
}
