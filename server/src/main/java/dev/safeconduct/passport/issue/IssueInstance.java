package dev.safeconduct.passport.issue;

import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.passport.Did;
import dev.safeconduct.passport.FindPassport;
import dev.safeconduct.passport.Issuance;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportDocument;
import dev.safeconduct.passport.PassportShape;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Content;
import dev.safeconduct.passport.template.Narrowing;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Issues an instance of a template: a passport with the template's permissions or fewer. Requests
 * are evaluated against both, so an instance stays within its template when the template is
 * narrowed later.
 */
public final class IssueInstance {
  private final FindPassport findPassport;
  private final Passports passports;
  private final IssuePassport issuePassport;
  private final PassportShape shape;
  private final Narrowing narrowing;
  private final Recorder recorder;
  private final Supplier<UUID> passportIds;

  /**
   * @param passportIds random UUIDs of the cell, which cannot be guessed
   */
  public IssueInstance(
      Passports passports,
      IssuePassport issuePassport,
      Catalogue catalogue,
      Recorder recorder,
      Supplier<UUID> passportIds) {
    this.findPassport = new FindPassport(passports);
    this.passports = passports;
    this.issuePassport = issuePassport;
    this.narrowing = new Narrowing(catalogue);
    this.shape = new PassportShape(catalogue, Optional.of(narrowing::both));
    this.recorder = recorder;
    this.passportIds = passportIds;
  }

  /**
   * Issues the instance the body describes. Members missing in the body are copied from the
   * template.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the member that would be wider, 403
   *     without the scope {@code issue} or for a setup key, 404 for a template the caller cannot
   *     see, 409 for a revoked template, a template chain that is too long, or a slug that is taken
   */
  public IssuePassport.Issued run(Origin origin, AgentId templateId, JsonObject body) {
    Rights rights = Rights.of(origin.caller());
    rights.demand(Scope.ISSUE);
    rights.demandUnbound();
    IssuePassport.Draft draft = draft(origin, findPassport.run(origin.caller(), templateId), body);
    return new IssuePassport.Issued(issuePassport.stored(origin, draft), draft.warnings());
  }

  /**
   * Returns the instance that the body describes, to commit it together with other changes.
   *
   * @throws dev.safeconduct.error.ProblemException as {@link #run}
   */
  IssuePassport.Draft draft(Origin origin, Passport template, JsonObject body) {
    demandUsable(template);
    demandConsistent(template, Members.of(body));
    boolean operator = origin.caller() instanceof Caller.Admin;
    Issuance issuance =
        Issuance.read(
            body.without("kind").without("parent_agent_id").without("template_id"), operator);
    if (issuance.agentId().isPresent() || issuance.passportId().isPresent()) {
      throw ProblemException.invalid(
          "agent_id", "An instance gets an agent_id of its own; leave it out.");
    }
    Content content = narrowing.of(template.document(), shape.read(body));
    JsonObject document =
        PassportDocument.apply(
            document(template, issuance, operator && body.has("assurance_level")), content);
    Did.demandOwn(origin.caller(), JsonObject.EMPTY, document);
    return IssuePassport.Draft.of(
        document,
        content.members().containsKey("slug"),
        Stream.concat(issuance.warnings().stream(), content.warnings().stream()).toList());
  }

  /** Returns the template's document with a new identity. */
  private JsonObject document(Passport template, Issuance issuance, boolean levelGiven) {
    UUID passportId = passportIds.get();
    JsonObject above = template.document();
    JsonString at = new JsonString(IsoInstant.millis(recorder.now()));
    String root = above.string("template_id").orElse(template.agentId().value());
    JsonObject document =
        JsonObject.builder()
            .put("agent_id", IssuePassport.agentId(passportId).value())
            .put("passport_id", passportId.toString())
            .put("kind", "instance")
            .put("template_id", root)
            .put("parent_agent_id", template.agentId().value())
            .putAll(identityOf(above))
            .build()
            .with("status", issuance.status().wire())
            .with("created_at", at)
            .with("updated_at", at)
            .with("modified_at", at)
            .with("status_updated_at", at)
            .with("version", issuance.version());
    return levelGiven ? document.with("assurance_level", issuance.level().wire()) : document;
  }

  /** Returns the template's document without the members that identify the template. */
  private static JsonObject identityOf(JsonObject template) {
    JsonObject kept = template;
    for (String name :
        List.of(
            "agent_id", "passport_id", "kind", "template_id", "parent_agent_id", "slug", "did")) {
      kept = kept.without(name);
    }
    return kept;
  }

  private void demandUsable(Passport template) {
    if (template.status() == PassportStatus.REVOKED) {
      throw ProblemException.conflict(
          "The template is revoked, so its instances would never be allowed anything.",
          "template_revoked");
    }
    Optional<Passport> above = Optional.of(template);
    for (int depth = 1; above.isPresent(); depth++) {
      if (depth > Passport.MOST_TEMPLATES) {
        throw ProblemException.conflict(
            "There are "
                + Passport.MOST_TEMPLATES
                + " templates above this one; make the instance of one further up.",
            "too_many_templates");
      }
      above =
          above
              .get()
              .document()
              .string("parent_agent_id")
              .flatMap(parent -> passports.find(new AgentId(parent)));
    }
  }

  /** Rejects a body that contradicts the path; repeating the same value is allowed. */
  private static void demandConsistent(Passport template, Members body) {
    demandSame(body, "kind", Optional.of("instance"));
    demandSame(body, "parent_agent_id", Optional.of(template.agentId().value()));
    demandSame(
        body,
        "template_id",
        template
            .document()
            .string("template_id")
            .or(() -> Optional.of(template.agentId().value())));
    demandSame(body, "owner_id", Optional.of(template.owner().value()));
  }

  private static void demandSame(Members body, String name, Optional<String> value) {
    if (body.text(name).filter(text -> !Optional.of(text).equals(value)).isPresent()) {
      throw body.fault(name, name + " must be " + value.orElse("") + " or left out.");
    }
  }
}
