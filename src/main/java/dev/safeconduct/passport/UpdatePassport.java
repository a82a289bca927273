package dev.safeconduct.passport;

import dev.safeconduct.access.Rights;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.problem.Problem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Changes a passport: members that are sent replace the old ones whole, the others stay. A status
 * in it is a status change, of the same rules and with the same record, committed together with the
 * rest.
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
    this.shape = new PassportShape(catalogue);
    this.narrowing = new Narrowing(catalogue);
    this.recorder = recorder;
    this.changeStatus = changeStatus;
  }

  /**
   * The update somebody asks for.
   *
   * @param ifMatch the {@code If-Match} header: the versions it may change
   */
  public record Update(AgentId agent, JsonObject body, Optional<String> ifMatch) {}

  /** The passport as it is now, and what its owner should know, one sentence each. */
  public record Updated(Passport passport, List<String> warnings) {}

  /**
   * Makes the update; one that changes nothing leaves version and record alone.
   *
   * @throws dev.safeconduct.problem.ProblemException 400 naming the member at fault, 403 for a
   *     status without that scope, 404 for a passport the caller cannot see, 409 for a version that
   *     is not the present one, a slug that is taken or an impossible status
   */
  public Updated run(Origin origin, Update update) {
    Rights rights = Rights.of(origin.caller());
    rights.demand(Scope.UPDATE);
    Passport before = findPassport.run(origin.caller(), update.agent());
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
      if (after.revision() == before.revision()) {
        return new Updated(before, warnings);
      }
      if (passports.replace(
          after, before.revision(), record(origin, now, before, after, next.isPresent()))) {
        if (next.isPresent()) {
          changeStatus.told(before, after, now);
        }
        return new Updated(after, warnings);
      }
      before = findPassport.run(origin.caller(), update.agent());
    }
    throw ChangeStatus.busy();
  }

  /** An instance stays within its template, whatever is changed. */
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

  private AuditRecord record(
      Origin origin, Instant now, Passport before, Passport after, boolean statusChanged) {
    return statusChanged
        ? PassportChange.statusChanged(recorder, origin, now, before, after, JsonObject.EMPTY)
        : PassportChange.updated(recorder, origin, now, before, after);
  }

  private static void demandVersion(Update update, Passport present) {
    EntityTag tag = EntityTag.of(present);
    if (update.ifMatch().isPresent() && !tag.satisfiesIfMatch(update.ifMatch().get())) {
      throw new Problem.Conflict(
              "The passport has changed; its ETag is now "
                  + tag.header()
                  + ". Read it again, then repeat the change.",
              "version_mismatch")
          .toException();
    }
  }

  private static Optional<PassportStatus> status(JsonObject body) {
    Members members = Members.of(body);
    return members.text("status").map(text -> StatusBody.status(members, text));
  }

  /** What is fixed may be sent again, so that a passport can be read, edited and sent back. */
  private static void demandSame(JsonObject body, Passport present, List<String> warnings) {
    Members members = Members.of(body);
    JsonObject document = present.document();
    members
        .text("agent_id")
        .filter(text -> !AgentId.hosted(text).equals(Optional.of(present.agentId())))
        .ifPresent(_ -> refuse(members, "agent_id"));
    members
        .text("passport_id")
        .filter(text -> !text.equalsIgnoreCase(document.string("passport_id").orElse("")))
        .filter(text -> !text.equals(present.agentId().value()))
        .ifPresent(_ -> refuse(members, "passport_id"));
    members
        .text("owner_id")
        .filter(text -> !text.equals(present.owner().value()))
        .ifPresent(_ -> refuse(members, "owner_id"));
    members
        .text("created_at")
        .filter(text -> !IsoInstant.parse(text).equals(Optional.of(present.createdAt())))
        .ifPresent(_ -> refuse(members, "created_at"));
    members
        .text("assurance_level")
        .filter(text -> !Optional.of(text).equals(document.string("assurance_level")))
        .ifPresent(_ -> warnings.add("assurance_level is set by an operator only and stays."));
  }

  private static void refuse(Members members, String name) {
    throw members.fault(name, name + " cannot be changed; send it unchanged or leave it out.");
  }
}
