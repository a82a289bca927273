package dev.safeconduct.passport;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.OperatorTokens;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.audit.Erasures;
import dev.safeconduct.db.Sql;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Deletes an organization. First its keys, deploy tokens and members lose access, so that nobody
 * issues passports meanwhile; then its passports are revoked; then one transaction ends everything
 * else and has the contents of its audit records erased. If it is interrupted, the organization is
 * still there, and its caller or an operator can repeat the deletion.
 */
public final class DeleteOrganization {
  /** Removes what another feature stores for an organization. */
  public interface Part {
    /** Removes it and returns the subjects that this outdates. */
    List<String> remove(Connection connection, OrgId org) throws SQLException;
  }

  private static final String LIVE =
      "SELECT 1 FROM passport WHERE org = :org AND status <> 'revoked' LIMIT 1";

  /** Requests that were admitted before can still issue passports; then it begins again. */
  private static final int TRIES = 5;

  private final Storage storage;
  private final BulkStatus statuses;
  private final Organizations organizations;
  private final Recorder recorder;
  private final List<Part> parts;

  public DeleteOrganization(
      Storage storage, BulkStatus statuses, Recorder recorder, List<Part> parts) {
    this.storage = storage;
    this.statuses = statuses;
    this.organizations = new Organizations(storage);
    this.recorder = recorder;
    this.parts = List.copyOf(parts);
  }

  /** What was ended. */
  record Deleted(
      Instant at, int passports, int keys, int members, StatusReceivers.Delivery delivery) {}

  /** What one transaction ended. */
  private record Ended(int keys, int members) {
    Ended plus(Ended other) {
      return new Ended(keys + other.keys, members + other.members);
    }
  }

  /** What one transaction writes besides. */
  private record Written(List<AuditRecord> records, List<String> subjects) {
    Written() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  /**
   * Deletes the organization.
   *
   * @throws dev.safeconduct.error.ProblemException 409 for the first organization, whose log holds
   *     the operator's records
   */
  Deleted run(Origin origin, Organization org, String reason) {
    OrgId first = organizations.first().map(Organization::id).orElse(org.id());
    if (first.equals(org.id())) {
      throw ProblemException.conflict(
          "The first organization cannot be deleted: its audit log holds the operators'"
              + " changes.",
          "first_organization");
    }
    var ended = new Ended(0, 0);
    var revoked = new BulkStatus.Revoked(0, StatusReceivers.Delivery.NONE);
    for (int i = 0; i < TRIES; i++) {
      Instant now = recorder.now();
      ended =
          ended.plus(storage.change(connection -> endAccess(connection, origin, org.id(), now)));
      revoked = revoked.plus(statuses.revokeAll(origin, org.id(), reason));
      var asked = new Asked(origin, org, reason, first, recorder.now());
      Ended before = ended;
      int passports = revoked.count();
      Optional<Ended> all = storage.change(connection -> end(connection, asked, before, passports));
      if (all.isPresent()) {
        return new Deleted(
            asked.now(), passports, all.get().keys(), all.get().members(), revoked.delivery());
      }
    }
    throw ProblemException.unavailable("Passports were issued meanwhile; try again.", 1);
  }

  private record Asked(Origin origin, Organization org, String reason, OrgId first, Instant now) {}

  private MutationResult<Ended> endAccess(
      Connection connection, Origin origin, OrgId org, Instant now) throws SQLException {
    var written = new Written();
    Optional<String> caller =
        origin.caller() instanceof Caller.Person person
            ? Optional.of(person.accountId())
            : Optional.empty();
    Ended ended = endAccess(connection, origin, org, caller, now, written);
    return new MutationResult<>(ended, written.records(), written.subjects());
  }

  /** Ends all access but that of the member {@code kept}, who can then repeat the deletion. */
  private Ended endAccess(
      Connection connection,
      Origin origin,
      OrgId org,
      Optional<String> kept,
      Instant now,
      Written written)
      throws SQLException {
    List<ApiKey> keys = ApiKeys.revokeAll(connection, org, now);
    for (ApiKey key : keys) {
      written.subjects().add(Change.key(key.id()));
      JsonObject what = JsonObject.of("key_id", key.id());
      written.records().add(recorder.write(RecordKind.KEY_REVOKED, org, now, origin, what));
    }
    OperatorTokens.revokeAll(connection, org, now)
        .forEach(id -> written.subjects().add(Change.token(id)));
    List<String> members = Memberships.removeAll(connection, org, kept, now);
    members.forEach(account -> written.subjects().add(Change.account(account)));
    return new Ended(keys.size(), members.size());
  }

  /** Ends everything else; empty if a passport was issued since the others were revoked. */
  private MutationResult<Optional<Ended>> end(
      Connection connection, Asked asked, Ended before, int passports) throws SQLException {
    OrgId org = asked.org().id();
    if (Sql.of(LIVE, org).exists(connection)) {
      return MutationResult.none(Optional.empty());
    }
    if (!Organizations.delete(connection, org)) {
      throw ProblemException.conflict("The organization is deleted already.", "deleted");
    }
    var written = new Written();
    Ended ended =
        before.plus(
            endAccess(connection, asked.origin(), org, Optional.empty(), asked.now(), written));
    for (Part part : parts) {
      written.subjects().addAll(part.remove(connection, org));
    }
    written.subjects().addAll(Halts.removeAll(connection, org));
    written.subjects().addAll(ObserveModes.removeAll(connection, org));
    Erasures.eraseAll(connection, org, asked.now());
    JsonObject what =
        JsonObject.builder()
            .put("change", "organization_deleted")
            .put("deleted_org_id", org.value())
            .put("deleted_name", asked.org().name())
            .put("reason", asked.reason())
            .put("passports", passports)
            .put("keys", ended.keys())
            .put("members", ended.members())
            .build();
    written
        .records()
        .add(recorder.write(RecordKind.CONFIG, asked.first(), asked.now(), asked.origin(), what));
    return new MutationResult<>(Optional.of(ended), written.records(), written.subjects());
  }
}
