package dev.safeconduct.verify;

import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportStatus;
import dev.safeconduct.people.Organization;
import dev.safeconduct.people.Organizations;
import dev.safeconduct.problem.Problem;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the one passport a request is about, hosted before sent along. */
public final class SubjectResolver {
  /** The reserved organization of decisions nobody's credential asked for. */
  public static final OrgId NOBODY = new OrgId("org_anonymous");

  private final PassportCache passports;
  private final Organizations organizations;

  public SubjectResolver(PassportCache passports, Organizations organizations) {
    this.passports = passports;
    this.organizations = organizations;
  }

  /**
   * The passport to judge by.
   *
   * @param lifted agent ids found in dialect containers
   */
  Subject resolve(VerifyRequest request, List<String> lifted) {
    Optional<String> named = theOneNamed(request, lifted);
    Optional<AgentId> hostedId = named.flatMap(AgentId::hosted);
    if (request.caller() instanceof Caller.Key key && key.boundTo().isPresent()) {
      AgentId bound = key.boundTo().get();
      if (named.isPresent() && !hostedId.equals(Optional.of(bound))) {
        throw unknownAgent(named.get());
      }
      hostedId = Optional.of(bound);
    }
    Optional<PassportCache.Hosted> hosted = hostedId.flatMap(passports::find);
    if (hosted.isPresent()) {
      if (!sees(request.caller(), hosted.get().passport().owner())) {
        throw unknownAgent(named.orElse(""));
      }
      return hosted(hosted.get());
    }
    if (request.passport().isEmpty()) {
      throw unknownAgent(named.orElse(""));
    }
    return sentAlong(request, request.passport().get(), named);
  }

  /** What is judged of the hosted passport now. */
  Optional<Subject> hosted(AgentId id) {
    return passports.find(id).map(this::hosted);
  }

  /** The agent id all places agree on, a UUID folded to its other form; 400 if they disagree. */
  private static Optional<String> theOneNamed(VerifyRequest request, List<String> lifted) {
    var all = new ArrayList<String>(request.agentIds());
    all.addAll(lifted);
    request.passport().flatMap(SubjectResolver::idOf).ifPresent(id -> all.addFirst(id));
    var distinct = new LinkedHashSet<String>();
    for (String id : all) {
      if (id.isEmpty() || id.length() > AgentId.MAX_LENGTH) {
        throw Problem.invalid("agent_id", "agent_id must have 1 to 128 characters.").toException();
      }
      distinct.add(AgentId.hosted(id).map(AgentId::value).orElse(id));
    }
    if (distinct.size() > 1) {
      throw Problem.invalid(
              "agent_id",
              "The request names different agents: " + String.join(", ", distinct) + ".")
          .toException();
    }
    if (all.isEmpty() && request.passport().isEmpty() && !bound(request.caller())) {
      throw Problem.invalid(
              "context.agent_id", "context.agent_id is missing: say which agent wants to act.")
          .toException();
    }
    return distinct.isEmpty() ? Optional.empty() : Optional.of(distinct.getFirst());
  }

  private static boolean bound(Caller caller) {
    return caller instanceof Caller.Key key && key.boundTo().isPresent();
  }

  private static Optional<String> idOf(JsonObject passport) {
    for (String name : List.of("agent_id", "passport_id")) {
      JsonValue id = passport.present(name);
      if (id instanceof JsonString text) {
        return Optional.of(text.value());
      }
      if (id != null) {
        String path = "passport." + name;
        throw Problem.invalid(path, path + " must be a string.").toException();
      }
    }
    return Optional.empty();
  }

  private Subject hosted(PassportCache.Hosted hosted) {
    Passport passport = hosted.passport();
    List<String> changes = List.of(Change.agent(passport.agentId().value()), Change.FEEDS);
    return isInstance(passport)
        ? instance(hosted, changes)
        : subject(hosted, true, List.of(), changes);
  }

  /** An instance with all it was made of; a template that is missing is as good as suspended. */
  private Subject instance(PassportCache.Hosted hosted, List<String> own) {
    var changes = new ArrayList<>(own);
    var templates = new ArrayList<Template>();
    Passport passport = hosted.passport();
    boolean active = true;
    while (isInstance(passport)) {
      Optional<AgentId> named = template(passport.document());
      named.ifPresent(id -> changes.add(Change.agent(id.value())));
      OrgId owner = passport.owner();
      Optional<PassportCache.Hosted> above =
          named.flatMap(passports::find).filter(found -> found.passport().owner().equals(owner));
      if (above.isEmpty() || templates.size() == Passport.MOST_TEMPLATES) {
        active = false;
        break;
      }
      passport = above.get().passport();
      active &= passport.status() == PassportStatus.ACTIVE;
      templates.add(
          new Template(passport.agentId().value(), passport.document(), above.get().digest()));
    }
    return subject(hosted, active, templates, changes);
  }

  private static boolean isInstance(Passport passport) {
    return passport.document().get("kind") instanceof JsonString(String kind)
        && kind.equals("instance");
  }

  private static Optional<AgentId> template(JsonObject instance) {
    return instance
        .string("parent_agent_id")
        .or(() -> instance.string("template_id"))
        .flatMap(AgentId::hosted);
  }

  private static Subject subject(
      PassportCache.Hosted hosted,
      boolean templateActive,
      List<Template> templates,
      List<String> changes) {
    Passport passport = hosted.passport();
    return new Subject(
        passport.owner(),
        passport.agentId().value(),
        true,
        passport.document(),
        hosted.digest(),
        templateActive,
        templates,
        changes);
  }

  private Subject sentAlong(VerifyRequest request, JsonObject passport, Optional<String> named) {
    String digest = CanonicalJson.digest(passport);
    // A passport without any id is its own: the same text is the same agent.
    String agentId = named.orElse("ap_" + digest.substring("sha256:".length(), 39));
    return new Subject(
        org(request),
        agentId,
        false,
        passport,
        digest,
        true,
        List.of(),
        List.of(Change.agent(agentId), Change.FEEDS));
  }

  /** Whether a hosted passport, and every template it was made of, is in force. */
  boolean isActive(AgentId id) {
    return passports
        .find(id)
        .filter(found -> found.passport().status() == PassportStatus.ACTIVE)
        .filter(found -> hosted(found).templateActive())
        .isPresent();
  }

  /** Whose decision it is, as far as the caller says. */
  OrgId org(VerifyRequest request) {
    return switch (request.caller()) {
      case Caller.Key key -> key.org();
      case Caller.Person person -> person.org();
      case Caller.Anonymous _ -> NOBODY;
      case Caller.Admin _ -> actingFor(request.org());
    };
  }

  private OrgId actingFor(Optional<OrgId> asked) {
    Optional<Organization> org =
        asked.isPresent() ? organizations.find(asked.get()) : organizations.first();
    return org.map(Organization::id)
        .orElseThrow(() ->
            new Problem.NotFound(
                    "No such organization is known.", "organization_not_found", Map.of())
                .toException());
  }

  private static boolean sees(Caller caller, OrgId owner) {
    return switch (caller) {
      case Caller.Key key -> key.org().equals(owner);
      case Caller.Person person -> person.org().equals(owner);
      case Caller.Admin _, Caller.Anonymous _ -> true;
    };
  }

  private static RuntimeException unknownAgent(String id) {
    return new Problem.NotFound(
            "Passport with the specified agent ID was not found",
            "passport_not_found",
            id.isEmpty() ? Map.of() : Map.of("agent_id", id))
        .toException();
  }
}
