package dev.safeconduct.passport;

import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.EntityTag;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Content;
import dev.safeconduct.passport.template.Narrowing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Changes a passport. Each member in the request replaces the old one; other members are unchanged.
 * A status in the request follows the same rules and has the same audit record as a status change.
 * Both are committed together.
 */
public final class UpdatePassport {
  private final FindPassport findPassport;
  private final Passports passports;
  private final PassportShape shape;
  private final Narrowing narrowing;
  private final Recorder recorder;
  private final ChangeStatus changeStatus;

  public UpdatePassport(
      Passports passports, Catalogue catalogue, Recorder recorder, ChangeStatus changeStatus) {
    this.findPassport = new FindPassport(passports);
    this.passports = passports;
    this.shape = new PassportShape(catalogue, Optional.empty());
    this.narrowing = new Narrowing(catalogue);
    this.recorder = recorder;
    this.changeStatus = changeStatus;
  }

  /**
   * A requested update.
   *
   * @param ifMatch the {@code If-Match} header: the versions that may be changed
   * @param evidence the digest of the decisions that the update was suggested from, if it was
   */
  public record Update(
      AgentId agent, JsonObject body, Optional<String> ifMatch, Optional<String> evidence) {
    public Update(AgentId agent, JsonObject body, Optional<String> ifMatch) {
      this(agent, body, ifMatch, Optional.empty());
    }
  }

  /**
   * The current passport.
   *
   * @param delivery the result of notifying receivers; absent if the status has not changed
   * @param warnings warnings for its owner, one sentence each
   */
  public record Updated(
      Passport passport, Optional<StatusReceivers.Delivery> delivery, List<String> warnings) {}

  /**
   * Updates the passport. An update that changes nothing leaves version and audit log unchanged.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member, 403 for a setup
   *     key and for a status without that scope, 404 for a passport the caller cannot see, 409 for
   *     an outdated version, a slug that is taken or an impossible status
   */
  public Updated run(Origin origin, Update update) {
    Rights rights = Rights.of(origin.caller());
    rights.demand(Scope.UPDATE);
    Passport before = findPassport.run(origin.caller(), update.agent());
    rights.demandUnbound(); // an agent does not widen its own passport
    Content content = narrowed(before, shape.read(update.body()));
    Optional<PassportStatus> asked = status(update.body());
    for (int i = 0; i < ChangeStatus.MAX_TRIES; i++) {
      demandVersion(update, before);
      List<String> warnings = new ArrayList<>(content.warnings());
      demandSame(update.body(), before, warnings);
      Optional<PassportStatus> next =
          asked.equals(Optional.of(before.status())) ? Optional.empty() : asked;
      if (next.isPresent()) {
        rights.demand(Scope.STATUS);
        ChangeStatus.demandPossible(before.status(), next.get());
      }
      Instant now = recorder.now();
      Passport after = changed(before, content, next, now);
      Did.demandOwn(origin.caller(), before.document(), after.document());
      if (after.revision() == before.revision()) {
        return new Updated(before, Optional.empty(), warnings);
      }
      JsonObject more =
          JsonObject.builder().putIfPresent("evidence_digest", update.evidence()).build();
      PassportChange change =
          next.isPresent()
              ? PassportChange.ofStatus(recorder, origin, now, before, after, more)
              : PassportChange.of(
                  recorder, RecordKind.PASSPORT_UPDATED, origin, now, before, after, more);
      if (passports.change(next.isPresent() ? changeStatus.emailed(change) : change.storing())) {
        return new Updated(
            after, next.map(_ -> changeStatus.notified(change).delivery()), warnings);
      }
      before = findPassport.run(origin.caller(), update.agent());
    }
    throw ChangeStatus.busy();
  }

  /**
   * An update that is not stored yet.
   *
   * @param applied the members of the request, as {@link #applied}
   */
  public record Prepared(
      Passport before, Passport after, JsonObject applied, List<String> warnings) {}

  /**
   * Returns the update, to commit it together with other changes. It does not change the status.
   *
   * @param template the template of an instance, as it will be
   * @throws dev.safeconduct.error.ProblemException as {@link #run}
   */
  public Prepared prepare(
      Origin origin, Passport before, Optional<Passport> template, JsonObject body) {
    Rights.of(origin.caller()).demand(Scope.UPDATE);
    Content asked = shape.read(body);
    Content content = template.map(above -> narrowing.of(above.document(), asked)).orElse(asked);
    List<String> warnings = new ArrayList<>(content.warnings());
    demandSame(body, before, warnings);
    Passport after = changed(before, content, Optional.empty(), recorder.now());
    Did.demandOwn(origin.caller(), before.document(), after.document());
    return new Prepared(before, after, applied(content, after.document()), warnings);
  }

  /**
   * Returns the members that a body sets in a document, in stored form; null for those that it
   * removes.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming a member that no update may have
   */
  public JsonObject applied(JsonObject body, JsonObject document) {
    return applied(shape.read(body), document);
  }

  private static JsonObject applied(Content content, JsonObject document) {
    JsonObject.Builder applied = document.only(content.members().keySet()).toBuilder();
    content
        .removed()
        .forEach(name ->
            applied.put(name, Objects.requireNonNullElse(document.get(name), JsonNull.NULL)));
    return applied.build();
  }

  /** Returns the audit record of a prepared update, for callers that store the passport. */
  public AuditRecord record(Origin origin, Prepared update) {
    return PassportChange.of(
            recorder,
            RecordKind.PASSPORT_UPDATED,
            origin,
            recorder.now(),
            update.before(),
            update.after(),
            JsonObject.EMPTY)
        .entry();
  }

  /** Checks that an instance stays within its template after any change. */
  private Content narrowed(Passport before, Content content) {
    return before
        .document()
        .string("parent_agent_id")
        .flatMap(parent -> passports.find(new AgentId(parent)))
        .map(template -> narrowing.of(template.document(), content))
        .orElse(content);
  }

  private static Passport changed(
      Passport before, Content content, Optional<PassportStatus> next, Instant now) {
    JsonObject document = PassportDocument.apply(before.document(), content);
    if (!document.equals(before.document())) {
      document = PassportDocument.touched(document, now);
    }
    if (next.isPresent()) {
      document = PassportDocument.withStatus(document, next.get(), now);
    }
    return document.equals(before.document())
        ? before
        : PassportDocument.passport(document, before.revision() + 1);
  }

  private static void demandVersion(Update update, Passport present) {
    EntityTag tag = EntityTag.of(present.revision());
    if (update.ifMatch().isPresent() && !tag.satisfiesIfMatch(update.ifMatch().get())) {
      throw ProblemException.conflict(
          "The passport has changed; its ETag is now "
              + tag.header()
              + ". Read it again, then repeat the change.",
          "version_mismatch");
    }
  }

  private static Optional<PassportStatus> status(JsonObject body) {
    Members members = Members.of(body);
    return members.text("status").map(text -> StatusBody.status(members, text));
  }

  /**
   * Allows read-only members with unchanged values, so that clients can read, edit and send back a
   * passport.
   */
  private static void demandSame(JsonObject body, Passport present, List<String> warnings) {
    Members members = Members.of(body);
    JsonObject document = present.document();
    members
        .text("agent_id")
        .filter(text -> !AgentId.hosted(text).equals(Optional.of(present.agentId())))
        .ifPresent(_ -> refuse(members, "agent_id"));
    members
        .text("passport_id")
        .filter(text -> !text.equalsIgnoreCase(document.text("passport_id")))
        .filter(text -> !text.equals(present.agentId().value()))
        .ifPresent(_ -> refuse(members, "passport_id"));
    members
        .text("owner_id")
        .filter(text -> !text.equals(present.owner().value()))
        .ifPresent(text -> {
          // Public clients send a passport's id here. No passport owns another, and a revocation
          // must not fail for it.
          if (!namesPassport(text, present)) {
            refuse(members, "owner_id");
          }
          warnings.add(
              "owner_id names a passport and is ignored; the owner is " + present.owner() + ".");
        });
    members
        .text("created_at")
        .filter(text -> !IsoInstant.parse(text).equals(Optional.of(present.createdAt())))
        .ifPresent(_ -> refuse(members, "created_at"));
    members
        .text("assurance_level")
        .filter(text -> !Optional.of(text).equals(document.string("assurance_level")))
        .ifPresent(_ -> warnings.add("assurance_level is set by an operator only and stays."));
  }

  private static boolean namesPassport(String text, Passport present) {
    Optional<AgentId> named = AgentId.hosted(text);
    return named.equals(Optional.of(present.agentId()))
        || named.filter(agent -> agent.value().matches("ap_[0-9a-f]{32}")).isPresent()
        || text.equalsIgnoreCase(present.document().text("passport_id"));
  }

  private static void refuse(Members members, String name) {
    throw members.fault(name, name + " cannot be changed; send it unchanged or leave it out.");
  }
}
