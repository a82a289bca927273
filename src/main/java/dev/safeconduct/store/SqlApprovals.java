package dev.safeconduct.store;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.usage.Approval;
import dev.safeconduct.usage.ApprovalStep;
import dev.safeconduct.usage.Approvals;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Approvals as rows. */
record SqlApprovals(Writer writer, Reads reads) implements Approvals {
  private static final String COLUMNS =
      "record_id, org, agent, policy, passport_digest, policy_digest, nonce, binding, request,"
          + " created_at, expires_at, context";

  private static final String SELECT =
      "SELECT " + COLUMNS + ", answer, answered_by, answered_at, comment, used_by FROM approval";

  private static final String INSERT =
      "INSERT INTO approval (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private static final String APPROVED = "approved";

  @Override
  public Optional<Approval> find(Tenant tenant, UUID decisionId) {
    var where = Where.of(tenant, "org").and("record_id = ?", AuditRows.bytes(decisionId));
    return reads.list(SELECT + where.sql(), SqlApprovals::read, where.parameters()).stream()
        .findFirst();
  }

  @Override
  public List<Approval> waiting(OrgId org, String agentId, Instant now, int limit) {
    return reads.list(
        SELECT
            + " WHERE org = ? AND agent = ? AND answer IS NULL AND expires_at > ?"
            + " ORDER BY record_id DESC LIMIT ?",
        SqlApprovals::read,
        List.of(org.value(), agentId, now.toEpochMilli(), limit));
  }

  @Override
  public List<Approval> list(
      Tenant tenant,
      Optional<Approval.Status> status,
      Instant now,
      Optional<UUID> before,
      int limit) {
    var where = Where.of(tenant, "org");
    before.ifPresent(id -> where.and("record_id < ?", AuditRows.bytes(id)));
    status.ifPresent(wanted -> narrow(where, wanted, now.toEpochMilli()));
    return reads.list(
        SELECT + where.sql() + " ORDER BY record_id DESC LIMIT ?",
        SqlApprovals::read,
        where.parameters(limit));
  }

  private static void narrow(Where where, Approval.Status status, long nowMs) {
    switch (status) {
      case PENDING -> where.and("answer IS NULL AND expires_at > ?", nowMs);
      case APPROVED ->
          where.and("answer = ? AND used_by IS NULL AND expires_at > ?", APPROVED, nowMs);
      case REFUSED -> where.and("answer <> ?", APPROVED);
      case USED -> where.and("used_by IS NOT NULL");
      case EXPIRED ->
          where.and(
              "used_by IS NULL AND (answer IS NULL OR answer = ?) AND expires_at <= ?",
              APPROVED,
              nowMs);
    }
  }

  @Override
  public boolean answer(Approval approval, Approval.Answer answer, AuditRecord entry) {
    return writer.change(connection ->
        Sql.update(
                    connection,
                    "UPDATE approval SET answer = ?, answered_by = ?, answered_at = ?, comment = ?,"
                        + " context = NULL WHERE record_id = ? AND org = ? AND answer IS NULL AND"
                        + " expires_at > ?",
                    answer.approved() ? APPROVED : "refused",
                    answer.by(),
                    answer.at().toEpochMilli(),
                    answer.comment(),
                    AuditRows.bytes(approval.decisionId()),
                    approval.org().value(),
                    answer.at().toEpochMilli())
                == 1
            ? Effect.of(true, entry)
            : Effect.none(false));
  }

  /** Takes the step in the decision's transaction; false when the answer is not to be had. */
  static boolean take(Connection connection, ApprovalStep step, AuditRecord decision)
      throws SQLException {
    return switch (step) {
      case ApprovalStep.Open(Approval approval) ->
          isRoomFor(connection, approval, decision)
              && Sql.update(connection, INSERT, values(approval)) == 1;
      case ApprovalStep.Use(Approval approval) ->
          Sql.update(
                  connection,
                  "UPDATE approval SET used_by = ? WHERE record_id = ? AND org = ? AND answer = ?"
                      + " AND used_by IS NULL AND expires_at > ?",
                  AuditRows.bytes(decision.id()),
                  AuditRows.bytes(approval.decisionId()),
                  approval.org().value(),
                  APPROVED,
                  decision.at().toEpochMilli())
              == 1;
    };
  }

  /**
   * Whether it would wait beside fewer than the most and none of the same question. It was asked
   * before, but many ask at once and only here one after the other.
   */
  private static boolean isRoomFor(Connection connection, Approval approval, AuditRecord decision)
      throws SQLException {
    List<byte[]> waiting =
        Sql.list(
            connection,
            "SELECT request FROM approval"
                + " WHERE org = ? AND agent = ? AND answer IS NULL AND expires_at > ? LIMIT ?",
            row -> row.getBytes("request"),
            List.of(
                approval.org().value(),
                approval.agentId(),
                decision.at().toEpochMilli(),
                Approval.MOST_WAITING));
    return waiting.size() < Approval.MOST_WAITING
        && waiting.stream().noneMatch(same -> MessageDigest.isEqual(same, approval.request()));
  }

  /** Forgets contexts that nobody will read any more. */
  static void sweep(Connection connection, long horizonMs) throws SQLException {
    Sql.update(
        connection,
        "UPDATE approval SET context = NULL WHERE context IS NOT NULL AND expires_at <= ?",
        horizonMs);
  }

  private static @Nullable Object[] values(Approval approval) {
    return new @Nullable Object[] {
      AuditRows.bytes(approval.decisionId()),
      Sql.text(approval.org().value()),
      Sql.text(approval.agentId()),
      Sql.text(approval.policyId()),
      approval.passportDigest(),
      approval.policyDigest(),
      approval.nonce(),
      approval.binding(),
      approval.request(),
      approval.createdAt().toEpochMilli(),
      approval.expiresAt().toEpochMilli(),
      approval.context().orElse(null)
    };
  }

  private static Approval read(ResultSet row) throws SQLException {
    String answer = row.getString("answer");
    byte[] usedBy = row.getBytes("used_by");
    return new Approval(
        AuditRows.uuid(row.getBytes("record_id")),
        new OrgId(row.getString("org")),
        row.getString("agent"),
        row.getString("policy"),
        row.getString("passport_digest"),
        row.getString("policy_digest"),
        row.getBytes("nonce"),
        row.getBytes("binding"),
        row.getBytes("request"),
        Instant.ofEpochMilli(row.getLong("created_at")),
        Instant.ofEpochMilli(row.getLong("expires_at")),
        Optional.ofNullable(row.getBytes("context")),
        answer == null
            ? Optional.empty()
            : Optional.of(
                new Approval.Answer(
                    answer.equals(APPROVED),
                    row.getString("answered_by"),
                    Instant.ofEpochMilli(row.getLong("answered_at")),
                    row.getString("comment"))),
        Optional.ofNullable(usedBy).map(AuditRows::uuid));
  }
}
