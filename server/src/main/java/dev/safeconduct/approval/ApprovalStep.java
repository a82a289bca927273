package dev.safeconduct.approval;

import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.LedgerStep;
import dev.safeconduct.mail.Outbox;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A change to an approval in the transaction of a decision. */
public sealed interface ApprovalStep extends LedgerStep {
  /**
   * Opens an approval for a denied decision. The decision is superseded if the same request is
   * already waiting or the maximum number is reached. An earlier check exists, but only this one
   * runs serially for concurrent requests.
   */
  record Open(Approval approval, Events events, ApprovalEmails emails) implements ApprovalStep {
    @Override
    public boolean take(Connection connection, AuditRecord decision) throws SQLException {
      List<byte[]> waiting =
          Approvals.waitingRequests(connection, approval, decision.at(), Approval.MOST_WAITING);
      boolean room =
          waiting.size() < Approval.MOST_WAITING
              && waiting.stream()
                  .noneMatch(request -> MessageDigest.isEqual(request, approval.request()));
      if (room) {
        Approvals.insert(connection, approval);
        events.insert(connection, Approvals.requested(approval));
        List<Account> administrators = Memberships.administrators(connection, approval.org());
        // Repeated requests of one agent do not fill mailboxes.
        Outbox.insert(
            connection,
            Approvals.othersWait(
                    connection, approval, approval.createdAt().minus(ApprovalEmails.QUIET))
                ? emails.later(
                    approval,
                    administrators,
                    Outbox.notYetDue(
                        connection,
                        ApprovalEmails.LATER,
                        ApprovalEmails.begins(approval),
                        approval.createdAt()))
                : emails.entries(approval, administrators));
      }
      return room;
    }
  }

  /**
   * Uses up the answer for an allowed decision. If the answer is no longer available, the decision
   * is superseded.
   */
  record Use(Approval approval) implements ApprovalStep {
    @Override
    public boolean take(Connection connection, AuditRecord decision) throws SQLException {
      return Approvals.use(connection, approval, decision);
    }
  }
}
