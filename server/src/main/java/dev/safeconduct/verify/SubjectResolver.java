package dev.safeconduct.verify;

import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.policy.PolicyPack;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the passport of a request. A hosted passport precedes one in the request. */
public final class SubjectResolver {
  /** The reserved organization of decisions for callers without a credential. */
  public static final OrgId NOBODY = new OrgId("org_anonymous");

  private final PassportCache passports;
  private final TemplateChains templates;
  private final Organizations organizations;
  private final Cell cell;

  /**
   * @param cell whose agents are hosted here
   */
  public SubjectResolver(PassportCache passports, Organizations organizations, Cell cell) {
    this.passports = passports;
    this.templates = new TemplateChains(passports);
    this.organizations = organizations;
    this.cell = cell;
  }

  /**
   * Returns the passport to evaluate.
   *
   * @param pack the pack that evaluates the request
   * @param lifted agent ids found in dialect containers
   */
  Subject resolve(VerifyRequest request, PolicyPack pack, List<String> lifted) {
    if (request.sent().subject().isPresent()) {
      return named(request, request.sent().subject().get(), pack);
    }
    List<String> names = names(request, lifted);
    Optional<String> named = theOneNamed(names);
    Optional<Subject> hosted = hosted(request.caller(), named);
    if (hosted.isPresent()) {
      return hosted.get();
    }
    if (request.sent().passport().isEmpty()) {
      throw unknownAgent(named.orElse(""));
    }
    names.forEach(name -> demandPlain("agent_id", name));
    return sentAlong(request, request.sent().passport().get(), named);
  }

  /**
   * Returns the hosted passport that a caller speaks for: a setup key's own, else the named one.
   *
   * @param names agent ids of the request, as written; they must name the same agent
   * @throws dev.safeconduct.error.ProblemException 404 for a passport that the caller cannot see,
   *     400 when no agent is named
   */
  public Subject spokenFor(Caller caller, List<String> names) {
    Optional<String> named = theOneNamed(names);
    if (named.isEmpty() && !bound(caller)) {
      throw ProblemException.invalid(
          "agent_id", "agent_id is missing: say which agent wants to act, or use a setup key.");
    }
    return hosted(caller, named).orElseThrow(() -> unknownAgent(named.orElse("")));
  }

  private Optional<Subject> hosted(Caller caller, Optional<String> named) {
    named.ifPresent(this::demandOwnCell);
    Optional<PassportCache.Hosted> hosted = named.flatMap(passports::spelled);
    if (caller instanceof Caller.Key key && key.boundTo().isPresent()) {
      AgentId bound = key.boundTo().get();
      if (named.filter(id -> !AgentId.fold(id).equals(AgentId.fold(bound.value()))).isPresent()) {
        throw unknownAgent(named.get());
      }
      hosted = passports.find(bound);
    }
    if (hosted.isPresent() && !sees(caller, hosted.get().org())) {
      throw unknownAgent(named.orElse(""));
    }
    return hosted.map(this::hosted);
  }

  /**
   * Returns the subject that an AuthZEN caller names: the pack's, if it lists it; else the hosted
   * passport; else as the pack or the properties describe it. A setup key's is its own agent.
   */
  private Subject named(VerifyRequest request, SentSubject asked, PolicyPack pack) {
    boolean bound = bound(request.caller());
    demandStorable("subject.type", asked.type());
    demandStorable("subject.id", asked.id());
    Optional<PassportCache.Hosted> hosted =
        asked.hostedId().flatMap(_ -> passports.spelled(asked.id()));
    if (!bound && asked.isListed(pack)) {
      // Who is suspended stays so, whoever lists the id.
      return hosted
          .filter(found -> sees(request.caller(), found.org()))
          .map(found -> asked.under(pack, org(request), hosted(found)))
          .orElseGet(() -> asked.under(pack, org(request)));
    }
    asked.hostedId().ifPresent(_ -> demandOwnCell(asked.id()));
    if (hosted.isPresent()) {
      if (!isOwn(request.caller(), hosted.get().agentId())
          || !sees(request.caller(), hosted.get().org())) {
        throw unknownAgent(asked.id());
      }
      return hosted(hosted.get()).as(asked);
    }
    if (bound || (!asked.isAdmitted(pack) && asked.properties().isEmpty())) {
      throw unknownAgent(asked.id());
    }
    if (asked.hostedId().isPresent()) {
      demandPlain("subject.id", asked.id());
    }
    return asked.under(pack, org(request));
  }

  /** Returns the subject of the hosted passport now. */
  public Optional<Subject> hosted(AgentId id) {
    return passports.find(id).map(this::hosted);
  }

  /** Returns every agent id of the request, as written; the body passport's first. */
  private static List<String> names(VerifyRequest request, List<String> lifted) {
    var all = new ArrayList<String>(2);
    request.sent().passport().flatMap(SubjectResolver::idOf).ifPresent(all::add);
    all.addAll(request.sent().agentIds());
    all.addAll(lifted);
    if (all.isEmpty() && request.sent().passport().isEmpty() && !bound(request.caller())) {
      throw ProblemException.invalid(
          "context.agent_id", "context.agent_id is missing: say which agent wants to act.");
    }
    return all;
  }

  /** Returns the agent id that all members agree on, a UUID in its usual form; 400 on conflict. */
  private static Optional<String> theOneNamed(List<String> names) {
    @Nullable String one = null;
    String spelled = "";
    boolean several = false;
    for (String id : names) {
      demandStorable("agent_id", id);
      String folded = id.length() > AgentId.MAX_LENGTH ? "" : AgentId.fold(id);
      if (folded.isEmpty() || folded.length() > AgentId.MAX_LENGTH) {
        throw ProblemException.invalid("agent_id", "agent_id must have 1 to 128 characters.");
      }
      if (one == null) {
        one = folded;
        spelled = AgentId.isPlain(id) ? folded : id;
      }
      several |= !one.equals(folded);
    }
    if (several) {
      var distinct = new LinkedHashMap<String, String>();
      names.forEach(id ->
          distinct.putIfAbsent(AgentId.fold(id), AgentId.isPlain(id) ? AgentId.fold(id) : id));
      throw ProblemException.invalid(
          "agent_id",
          "The request names different agents: " + String.join(", ", distinct.values()) + ".");
    }
    return one == null ? Optional.empty() : Optional.of(spelled);
  }

  /** Refuses what would be stored otherwise than it is signed: PostgreSQL has no U+0000. */
  private static void demandStorable(String field, String text) {
    if (text.indexOf('\0') >= 0) {
      throw ProblemException.invalid(field, field + " must not hold the character U+0000.");
    }
  }

  /** Refuses the id of a described agent that only looks like one of a hosted agent. */
  private static void demandPlain(String field, String id) {
    String folded = AgentId.fold(id);
    if (AgentId.isPlain(folded) && !AgentId.isPlain(id)) {
      throw ProblemException.invalid(
          field,
          field
              + " must be spelled as "
              + folded
              + " or as a UUID with four hyphens, or be no UUID at all.");
    }
  }

  /**
   * Refuses an agent of another cell, also one that the request describes: its status is known
   * there only.
   */
  private void demandOwnCell(String id) {
    cell.refusal(id)
        .ifPresent(problem -> {
          throw problem.toException();
        });
  }

  private static boolean bound(Caller caller) {
    return caller instanceof Caller.Key key && key.boundTo().isPresent();
  }

  /** Whether the caller may act as the agent: any but a setup key of another agent. */
  private static boolean isOwn(Caller caller, String agent) {
    return !(caller instanceof Caller.Key key)
        || key.boundTo().filter(bound -> !bound.value().equals(agent)).isEmpty();
  }

  private static Optional<String> idOf(JsonObject passport) {
    for (String name : List.of("agent_id", "passport_id")) {
      JsonValue id = passport.present(name);
      if (id instanceof JsonString text) {
        return Optional.of(text.value());
      }
      if (id != null) {
        String path = "passport." + name;
        throw ProblemException.invalid(path, path + " must be a string.");
      }
    }
    return Optional.empty();
  }

  private Subject hosted(PassportCache.Hosted hosted) {
    List<String> changes = hosted.changes();
    TemplateChain chain = TemplateChain.NONE;
    if (hosted.judged().isInstance()) {
      changes = new ArrayList<>(changes);
      chain = templates.of(hosted.judged(), hosted.org(), changes);
    }
    return new Subject(
        hosted.org(),
        hosted.agentId(),
        Decision.Source.REGISTRY,
        hosted.judged(),
        hosted.digest(),
        chain,
        changes,
        Optional.empty());
  }

  private Subject sentAlong(VerifyRequest request, JsonObject passport, Optional<String> named) {
    String digest = CanonicalJson.digest(passport);
    // A passport without an id is identified by its text: the same text is the same agent.
    String agentId = named.orElse("ap_" + digest.substring("sha256:".length(), 39));
    return new Subject(
        org(request),
        agentId,
        Decision.Source.REQUEST,
        JudgedPassport.of(passport),
        digest,
        TemplateChain.NONE,
        List.of(Change.agent(AgentId.fold(agentId)), Change.FEEDS),
        Optional.empty());
  }

  /** Returns the organization of the decision, as far as the caller determines it. */
  OrgId org(VerifyRequest request) {
    return switch (request.caller()) {
      case Caller.Key key -> key.org();
      case Caller.Deploy deploy -> deploy.org();
      case Caller.Person person -> person.org();
      case Caller.Anonymous _ -> NOBODY;
      case Caller.Admin _ -> actingFor(request.sender().org());
    };
  }

  private OrgId actingFor(Optional<OrgId> asked) {
    Optional<Organization> org =
        asked.isPresent() ? organizations.find(asked.get()) : organizations.first();
    return org.map(Organization::id)
        .orElseThrow(() ->
            ProblemException.notFound(
                "No such organization is known.", "organization_not_found", Map.of()));
  }

  private static boolean sees(Caller caller, OrgId owner) {
    return switch (caller) {
      case Caller.Key key -> key.org().equals(owner);
      case Caller.Deploy deploy -> deploy.org().equals(owner);
      case Caller.Person person -> person.org().equals(owner);
      case Caller.Admin _, Caller.Anonymous _ -> true;
    };
  }

  private static RuntimeException unknownAgent(String id) {
    return ProblemException.notFound(
        "Passport with the specified agent ID was not found",
        "passport_not_found",
        id.isEmpty() ? Map.of() : Map.of("agent_id", id));
  }
}
