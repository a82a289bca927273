package dev.safeconduct.approval;

import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Event;
import dev.safeconduct.ledger.EventType;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Stores approvals. {@link ApprovalStep} opens and uses them. */
public final class Approvals {
  private static final String COLUMNS =
      """
      record_id, org, agent, policy, passport_digest, policy_digest, nonce, binding, request,
      created_at, expires_at, context
      """;

  private static final String SELECT =
      "SELECT " + COLUMNS + ", answer, answered_by, answered_at, comment, used_by FROM approval ";

  private static final String INSERT = Sql.insert("approval", COLUMNS);

  static final String WAITING =
      "WHERE org = :org AND agent = :agent AND answer IS NULL AND expires_at > :now ";

  private static final String USE =
      """
      UPDATE approval SET used_by = :decision
       WHERE record_id = :id AND org = :org AND answer = 'approved' AND used_by IS NULL
         AND expires_at > :now
      """;

  private static final String ANSWER =
      """
      UPDATE approval
         SET answer = :answer, answered_by = :by, answered_at = :at, comment = :comment,
             context = NULL
       WHERE record_id = :id AND org = :org AND answer IS NULL AND expires_at > :at
      """;

  private static final String APPROVED = "approved";

  private final Storage storage;

  public Approvals(Storage storage) {
    this.storage = storage;
  }

  /** Returns the decision's approval if the tenant may see it. */
  public Optional<Approval> find(Tenant tenant, UUID decisionId) {
    var where = Where.of(tenant, "org").and("record_id = :id", decisionId);
    return storage.first(Sql.of(SELECT, where), Approvals::read);
  }

  /** Returns the agent's approvals that are unanswered and not expired. */
  public List<Approval> waiting(OrgId org, String agentId, Instant now, int limit) {
    return storage
        .reads()
        .few(
            Sql.of(
                SELECT + WAITING + "ORDER BY record_id DESC LIMIT :limit",
                org,
                agentId,
                now,
                limit),
            Approvals::read);
  }

  /**
   * Returns the tenant's approvals, newest first.
   *
   * @param status the status at {@code now}; empty for all
   * @param before returns only approvals older than this decision's
   */
  public List<Approval> list(
      Tenant tenant,
      Optional<Approval.Status> status,
      Instant now,
      Optional<UUID> before,
      int limit) {
    var where = Where.of(tenant, "org");
    before.ifPresent(id -> where.and("record_id < :before", id));
    status.ifPresent(wanted -> narrow(where, wanted, now));
    return storage
        .reads()
        .few(Sql.of(SELECT, where, "ORDER BY record_id DESC LIMIT :limit", limit), Approvals::read);
  }

  private static void narrow(Where where, Approval.Status status, Instant now) {
    switch (status) {
      case PENDING -> where.and("answer IS NULL AND expires_at > :now", now);
      case APPROVED ->
          where.and("answer = 'approved' AND used_by IS NULL AND expires_at > :now", now);
      case REFUSED -> where.and("answer <> 'approved'");
      case USED -> where.and("used_by IS NOT NULL");
      case EXPIRED ->
          where.and(
              """
              used_by IS NULL AND (answer IS NULL OR answer = 'approved') AND expires_at <= :now
              """,
              now);
    }
  }

  /**
   * Stores the answer with its audit record and its event, and deletes the context.
   *
   * @return false if the approval is already answered or has expired; then nothing is written
   */
  public boolean answer(
      Approval approval, Approval.Answer answer, AuditRecord entry, Events events) {
    return storage.change(connection -> {
      boolean kept =
          Sql.of(ANSWER)
                  .set("answer", answer.approved() ? APPROVED : "refused")
                  .set("by", answer.by())
                  .set("at", answer.at())
                  .set("comment", answer.comment())
                  .set("id", approval.decisionId())
                  .set("org", approval.org())
                  .update(connection)
              == 1;
      if (kept) {
        events.insert(connection, decided(approval, answer));
      }
      return MutationResult.when(kept, entry);
    });
  }

  /** Returns the request digests of the agent's waiting approvals, within a transaction. */
  static List<byte[]> waitingRequests(
      Connection connection, Approval beside, Instant now, int limit) throws SQLException {
    return Sql.of(
            "SELECT request FROM approval " + WAITING + "LIMIT :limit",
            beside.org(),
            beside.agentId(),
            now,
            limit)
        .list(connection, row -> row.getBytes("request"));
  }

  /**
   * Returns whether another approval of the agent, created since then, waits, within a transaction.
   */
  static boolean othersWait(Connection connection, Approval approval, Instant since)
      throws SQLException {
    return Sql.of(
            "SELECT 1 FROM approval "
                + WAITING
                + "AND created_at > :since AND record_id <> :id LIMIT 1",
            approval.org(),
            approval.agentId(),
            approval.createdAt(),
            since,
            approval.decisionId())
        .exists(connection);
  }

  /** Inserts the approval within a transaction. */
  static void insert(Connection connection, Approval approval) throws SQLException {
    Sql.of(INSERT)
        .set("record_id", approval.decisionId())
        .set("org", approval.org())
        .set("agent", approval.agentId())
        .set("policy", approval.policyId())
        .set("passport_digest", approval.passportDigest())
        .set("policy_digest", approval.policyDigest())
        .set("nonce", approval.nonce())
        .set("binding", approval.binding())
        .set("request", approval.request())
        .set("created_at", approval.createdAt())
        .set("expires_at", approval.expiresAt())
        .set("context", approval.context())
        .update(connection);
  }

  /**
   * Uses up the answer in the decision's transaction. Returns false if the answer is not available.
   */
  static boolean use(Connection connection, Approval approval, AuditRecord decision)
      throws SQLException {
    return Sql.of(USE, decision.id(), approval.decisionId(), approval.org(), decision.at())
            .update(connection)
        == 1;
  }

  /** Deletes contexts that are no longer needed. */
  public static void sweep(Connection connection, long horizonMs) throws SQLException {
    Sql.of(
            "UPDATE approval SET context = NULL WHERE context IS NOT NULL AND expires_at <= :horizon",
            horizonMs)
        .update(connection);
  }

  /** Deletes all approvals of an organization that is deleted; nothing depends on them. */
  public static List<String> deleteAll(Connection connection, OrgId org) throws SQLException {
    Sql.of("DELETE FROM approval WHERE org = :org", org).update(connection);
    return List.of();
  }

  private static Approval read(ResultSet row) throws SQLException {
    String answer = row.getString("answer");
    return new Approval(
        Rows.uuid(row, "record_id"),
        new OrgId(row.getString("org")),
        row.getString("agent"),
        row.getString("policy"),
        row.getString("passport_digest"),
        row.getString("policy_digest"),
        row.getBytes("nonce"),
        row.getBytes("binding"),
        row.getBytes("request"),
        Rows.time(row, "created_at"),
        Rows.time(row, "expires_at"),
        Optional.ofNullable(row.getBytes("context")),
        answer == null
            ? Optional.empty()
            : Optional.of(
                new Approval.Answer(
                    answer.equals(APPROVED),
                    row.getString("answered_by"),
                    Rows.time(row, "answered_at"),
                    row.getString("comment"))),
        Optional.ofNullable(row.getBytes("used_by")).map(Rows::uuid));
  }

  /** What webhooks hear of approvals: never the requested action itself. */
  static Event requested(Approval approval) {
    return event(EventType.APPROVAL_REQUESTED, approval, "pending", Optional.empty());
  }

  private static Event decided(Approval approval, Approval.Answer answer) {
    return event(
        EventType.APPROVAL_DECIDED,
        approval,
        answer.approved() ? "approved" : "refused",
        Optional.of(answer.by()));
  }

  private static Event event(
      EventType type, Approval approval, String status, Optional<String> by) {
    return new Event(
        type,
        approval.org(),
        Optional.of(new AgentId(approval.agentId())),
        "/console/approvals/" + approval.id(),
        JsonObject.builder()
            .put("approval_id", approval.id())
            .put("status", status)
            .put("policy_id", approval.policyId())
            .put("decision_id", approval.decisionId().toString())
            .put("expires_at", IsoInstant.millis(approval.expiresAt()))
            .putIfPresent("decided_by", by)
            .build());
  }
}
