package dev.safeconduct.passport;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PrefixedId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Content;
import dev.safeconduct.passport.template.Narrowing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Issues a passport. */
public final class IssuePassport {
  private static final String SPEC_VERSION = "oap/1.0";
  private static final PrefixedId OWN_ID = new PrefixedId("ap_");
  private static final JsonObject NO_MCP =
      JsonObject.builder().put("servers", JsonArray.EMPTY).put("tools", JsonArray.EMPTY).build();

  /** Whether a human has claimed ownership. */
  public enum Claim {
    CLAIMED,
    UNCLAIMED
  }

  /** The passport and warnings for its owner, one sentence each. */
  public record Issued(Passport passport, List<String> warnings) {}

  private final Passports passports;
  private final PassportShape shape;
  private final Narrowing narrowing;
  private final Recorder recorder;
  private final Cell cell;
  private final Supplier<UUID> passportIds;
  private final String issuer;

  /**
   * @param cell whose passports are issued here
   * @param passportIds random UUIDs of the cell, which cannot be guessed
   * @param issuer the service's own address, as it appears in passports
   */
  public IssuePassport(
      Passports passports,
      Catalogue catalogue,
      Recorder recorder,
      Cell cell,
      Supplier<UUID> passportIds,
      String issuer) {
    this.passports = passports;
    this.narrowing = new Narrowing(catalogue);
    this.shape = new PassportShape(catalogue, Optional.of(narrowing::both));
    this.recorder = recorder;
    this.cell = cell;
    this.passportIds = passportIds;
    this.issuer = issuer;
  }

  /**
   * Issues the passport that the body describes. The caller must have checked permission for this
   * owner.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member, 403 for an id
   *     chosen by an ordinary caller, 409 for a slug or id that is taken
   */
  public Issued run(Origin origin, OrgId owner, JsonObject body, Claim claim) {
    Draft draft = draft(origin, owner, body, claim);
    return new Issued(stored(origin, draft), draft.warnings());
  }

  /** Stores the passport. If the slug was generated and is taken, another one is used. */
  public Passport stored(Origin origin, Draft draft) {
    try {
      return create(origin, draft.passport());
    } catch (ProblemException e) {
      boolean idTaken = passports.find(draft.passport().agentId()).isPresent();
      if (!(e.problem() instanceof Problem.Conflict) || draft.slugAsked() || idTaken) {
        throw e;
      }
      return create(origin, draft.withOtherSlug());
    }
  }

  /**
   * A passport that is not issued yet.
   *
   * @param slugAsked whether the request sets the slug; if not, another one may replace it
   */
  public record Draft(Passport passport, boolean slugAsked, List<String> warnings) {
    /** Returns a draft of the document. If no slug was requested, one is derived from the name. */
    public static Draft of(JsonObject document, boolean slugAsked, List<String> warnings) {
      if (slugAsked) {
        return new Draft(PassportDocument.passport(document, 1), true, warnings);
      }
      String ending = ending(document);
      String slug = Slug.of(document.string("name").orElseThrow()).orElse("agent-" + ending);
      return new Draft(PassportDocument.passport(document.with("slug", slug), 1), false, warnings);
    }

    /** Returns the last digits of the passport's UUID; in a cell all begin with the same ones. */
    private static String ending(JsonObject document) {
      return document.string("passport_id").orElseThrow().substring(28);
    }

    /** Returns the passport with a slug that is not in use. */
    public Passport withOtherSlug() {
      String ending = ending(passport.document());
      String slug = Slug.with(passport.slug().orElseThrow(), ending);
      return PassportDocument.passport(passport.document().with("slug", slug), passport.revision());
    }
  }

  /**
   * Builds the passport that the body describes, for callers that issue it together with other
   * objects.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member, 403 for an id
   *     chosen by an ordinary caller
   */
  public Draft draft(Origin origin, OrgId owner, JsonObject body, Claim claim) {
    Issuance issuance = Issuance.read(body, origin.caller() instanceof Caller.Admin);
    Content content = shape.read(body);
    Members members = Members.of(body);
    if (!content.members().containsKey("name")) {
      throw members.missing("name");
    }
    if (members.text("owner_id").filter(named -> !named.equals(owner.value())).isPresent()) {
      throw members.fault("owner_id", "owner_id must be " + owner + " or left out.");
    }
    issuance.parentAgentId().ifPresent(parent -> demandNarrower(owner, parent, content));
    UUID passportId = passportId(issuance);
    AgentId agentId = issuance.agentId().orElseGet(() -> agentId(passportId));
    Instant now = recorder.now();
    JsonObject document = document(agentId, passportId, owner, issuance, content, claim, now);
    Did.demandOwn(origin.caller(), JsonObject.EMPTY, document);
    List<String> warnings =
        Stream.concat(issuance.warnings().stream(), content.warnings().stream()).toList();
    return Draft.of(document, content.members().containsKey("slug"), new ArrayList<>(warnings));
  }

  /** Returns the audit record of the issue, for callers that store the passport. */
  public AuditRecord record(Origin origin, Passport passport) {
    return PassportChange.issued(recorder, origin, passport);
  }

  /**
   * Checks the limits against the template. An instance may be imported before its template; until
   * then all its requests are denied.
   */
  private void demandNarrower(OrgId owner, String parent, Content content) {
    passports
        .find(new AgentId(parent))
        .ifPresent(template -> {
          if (!template.owner().equals(owner)) {
            throw ProblemException.invalid(
                "parent_agent_id", "parent_agent_id is not a passport of this organization.");
          }
          narrowing.of(template.document(), content);
        });
  }

  private Passport create(Origin origin, Passport passport) {
    passports.create(passport, record(origin, passport));
    return passport;
  }

  private UUID passportId(Issuance issuance) {
    Optional<UUID> ofAgent = issuance.agentId().map(AgentId::value).flatMap(OWN_ID::parse);
    Optional<UUID> named = issuance.passportId();
    if (ofAgent.isPresent() && named.isPresent() && !ofAgent.equals(named)) {
      throw ProblemException.invalid("passport_id", "passport_id does not belong to agent_id.");
    }
    ofAgent.or(() -> named).ifPresent(id -> demandOwn(ofAgent.isPresent(), id));
    return ofAgent.or(() -> named).orElseGet(passportIds);
  }

  /** Refuses an id that names another cell: requests about it would be sent there. */
  private void demandOwn(boolean ofAgent, UUID id) {
    String field = ofAgent ? "agent_id" : "passport_id";
    cell.refusal(id.toString())
        .ifPresent(_ -> {
          throw ProblemException.invalid(
              field, field + " names another cell. Leave it out to get an id of " + cell + ".");
        });
  }

  public static AgentId agentId(UUID passportId) {
    return AgentId.hosted(passportId.toString()).orElseThrow();
  }

  private JsonObject document(
      AgentId agentId,
      UUID passportId,
      OrgId owner,
      Issuance issuance,
      Content content,
      Claim claim,
      Instant now) {
    String at = IsoInstant.millis(now);
    boolean instance = issuance.parentAgentId().isPresent();
    JsonObject skeleton =
        JsonObject.builder()
            .put("agent_id", agentId.value())
            .put("passport_id", passportId.toString())
            .put("kind", instance ? "instance" : "template")
            .putIfPresent("template_id", issuance.parentAgentId())
            .putIfPresent("parent_agent_id", issuance.parentAgentId())
            .put("spec_version", SPEC_VERSION)
            .put("slug", "")
            .put("name", "")
            .put("description", "")
            .put("role", "agent")
            .put("owner_id", owner.value())
            .put("owner_type", issuance.ownerType())
            .put("assurance_level", issuance.level().wire())
            .put("status", issuance.status().wire())
            .put("capabilities", JsonArray.EMPTY)
            .put("limits", JsonObject.EMPTY)
            .put("regions", JsonArray.ofStrings(List.of("global")))
            .put("framework", JsonArray.EMPTY)
            .put("categories", JsonArray.EMPTY)
            .put("links", JsonObject.EMPTY)
            .put("metadata", JsonObject.EMPTY)
            .put("mcp", NO_MCP)
            .put("claimed", claim == Claim.CLAIMED)
            .put("created_at", at)
            .put("updated_at", at)
            .put("modified_at", at)
            .put("version", issuance.version())
            .put("issuer", issuer)
            .put("status_updated_at", at)
            .build();
    return PassportDocument.apply(skeleton, content);
  }
}
