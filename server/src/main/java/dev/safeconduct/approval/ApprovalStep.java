package dev.safeconduct.approval;

import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.LedgerStep;
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
  record Open(Approval approval, Events events) implements ApprovalStep {
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
        events.insert(connection, ApprovalEvents.requested(approval));
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
