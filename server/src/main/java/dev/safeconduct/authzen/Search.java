package dev.safeconduct.authzen;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportFilter;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.verify.DryRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds the subjects, resources or actions that would be allowed (AuthZEN section 8). The
 * candidates are the entries of the organization's packs, its hosted agents, and the packs. A
 * search makes no decision and records nothing. Each search reads the members of the request that
 * it knows.
 */
public final class Search {
  /** The maximum number of candidates evaluated for one page. The next page has the rest. */
  private static final int MOST_EVALUATED = 1_000;

  /** The steps after which a page ends, so that enough are left for its last candidate. */
  private static final int MOST_STEPS = Budget.MOST_REQUEST_STEPS / 2;

  private static final int AGENTS_READ = 200;
  private static final PassportFilter ACTIVE =
      new PassportFilter(
          Optional.of(PassportStatus.ACTIVE), Optional.empty(), Optional.empty(), Optional.empty());

  private final ActionPacks packs;
  private final DryRun dryRun;
  private final Passports passports;

  public Search(ActionPacks packs, DryRun dryRun, Passports passports) {
    this.packs = packs;
    this.dryRun = dryRun;
    this.passports = passports;
  }

  /**
   * The results of a search.
   *
   * @param nextToken the token of the next page; the empty text after the last page
   */
  record Found(List<JsonValue> results, String nextToken) {}

  /** A possible result, and the evaluation that decides whether it is a result. */
  private record Candidate(String place, JsonObject result, EvaluationRequest question) {}

  /** Returns the subjects of the type that may do the action. */
  Found subjects(AuthzenCaller asker, JsonObject body, Page page) {
    String type = EvaluationRequest.type(body, "subject");
    Action action = EvaluationRequest.action(body);
    Entity resource = EvaluationRequest.entity(body, "resource");
    JsonObject context = EvaluationRequest.context(body);
    Function<String, EvaluationRequest> question =
        id ->
            new EvaluationRequest(
                new Entity(type, id, Optional.empty()), action, resource, context);
    Optional<AccessModel> model =
        packs.choose(asker.org(), action.name(), resource.type())
                instanceof ActionPacks.Choice.Pack(PolicyPack pack)
            ? pack.model()
            : Optional.empty();
    List<String> listed = ids(model.map(AccessModel::subjects).map(all -> all.get(type)));
    Stream<Candidate> candidates =
        after(listed, page, "listed:")
            .map(id -> candidate("listed:" + id, type, id, question.apply(id)));
    if (AccessModel.isAgent(type)) {
      Optional<AgentId> last =
          page.after().flatMap(place -> behind(place, "hosted:")).flatMap(AgentId::hosted);
      candidates =
          Stream.concat(
              candidates,
              agents(asker.org(), last)
                  .filter(id -> model.filter(known -> known.lists(type, id)).isEmpty())
                  .map(id -> candidate("hosted:" + id, type, id, question.apply(id))));
    }
    return found(asker, candidates.iterator(), page);
  }

  /** Returns the organization's active agents, newest first, read page by page. */
  private Stream<String> agents(OrgId org, Optional<AgentId> last) {
    Function<Optional<AgentId>, List<Passport>> read =
        after -> passports.list(new Tenant.One(org), ACTIVE, after, AGENTS_READ);
    return Stream.iterate(
            read.apply(last),
            agents -> !agents.isEmpty(),
            agents ->
                agents.size() < AGENTS_READ
                    ? List.of()
                    : read.apply(Optional.of(agents.getLast().agentId())))
        .flatMap(List::stream)
        .map(passport -> passport.agentId().value());
  }

  /** Returns the resources of the type on which the action is allowed. */
  Found resources(AuthzenCaller asker, JsonObject body, Page page) {
    Entity subject = EvaluationRequest.entity(body, "subject");
    Action action = EvaluationRequest.action(body);
    String type = EvaluationRequest.type(body, "resource");
    JsonObject context = EvaluationRequest.context(body);
    List<String> listed =
        packs.choose(asker.org(), action.name(), type)
                instanceof ActionPacks.Choice.Pack(PolicyPack pack)
            ? ids(pack.model().map(AccessModel::resources).map(all -> all.get(type)))
            : List.of();
    return found(
        asker,
        after(listed, page, "listed:")
            .map(id ->
                candidate(
                    "listed:" + id,
                    type,
                    id,
                    new EvaluationRequest(
                        subject, action, new Entity(type, id, Optional.empty()), context)))
            .iterator(),
        page);
  }

  /** Returns the actions that the subject may do on the resource. */
  Found actions(AuthzenCaller asker, JsonObject body, Page page) {
    Entity subject = EvaluationRequest.entity(body, "subject");
    Entity resource = EvaluationRequest.entity(body, "resource");
    JsonObject context = EvaluationRequest.context(body);
    var names = new TreeSet<String>();
    List<AccessModel> models = packs.models(asker.org(), resource.type());
    models.forEach(model -> names.addAll(model.actions()));
    if (models.stream().noneMatch(model -> model.lists(subject.type(), subject.id()))) {
      // A subject that a pack lists has only that pack's capabilities.
      names.addAll(packs.policies(asker.org()));
      names.addAll(McpMapping.methods(resource.type()));
    }
    return found(
        asker,
        after(List.copyOf(names), page, "listed:")
            .map(name -> {
              Action action = new Action(name, Optional.empty());
              return new Candidate(
                  "listed:" + name,
                  action.result(),
                  new EvaluationRequest(subject, action, resource, context));
            })
            .iterator(),
        page);
  }

  private static Candidate candidate(
      String place, String type, String id, EvaluationRequest question) {
    return new Candidate(place, new Entity(type, id, Optional.empty()).result(), question);
  }

  private static List<String> ids(Optional<AccessModel.Entities> entities) {
    return entities.map(all -> List.copyOf(all.listed().keySet())).orElse(List.of());
  }

  /** Returns the sorted candidates after the page's start; empty for a start of another kind. */
  private static Stream<String> after(List<String> sorted, Page page, String kind) {
    if (page.after().isEmpty()) {
      return sorted.stream();
    }
    Optional<String> last = behind(page.after().get(), kind);
    if (last.isEmpty()) {
      return Stream.of();
    }
    int at = Collections.binarySearch(sorted, last.get());
    return sorted.subList(at < 0 ? -at - 1 : at + 1, sorted.size()).stream();
  }

  private static Optional<String> behind(String place, String kind) {
    return place.startsWith(kind) ? Optional.of(place.substring(kind.length())) : Optional.empty();
  }

  /** Evaluates the candidates in order until the page is full and a further result exists. */
  private Found found(AuthzenCaller asker, Iterator<Candidate> candidates, Page page) {
    var results = new ArrayList<JsonValue>();
    Optional<String> last = page.after();
    for (int evaluated = 0; candidates.hasNext(); evaluated++) {
      if (evaluated == MOST_EVALUATED || asker.budget().spent() > MOST_STEPS) {
        return new Found(results, page.token(last.orElse("")));
      }
      Candidate candidate = candidates.next();
      if (wouldBeAllowed(asker, candidate.question())) {
        if (results.size() == page.limit()) {
          return new Found(results, page.token(last.orElse("")));
        }
        results.add(candidate.result());
      }
      last = Optional.of(candidate.place());
    }
    return new Found(results, "");
  }

  private boolean wouldBeAllowed(AuthzenCaller asker, EvaluationRequest sent) {
    EvaluationRequest question = packs.mapped(asker, sent);
    if (!(packs.choose(asker.org(), question.action().name(), question.resource().type())
        instanceof ActionPacks.Choice.Pack(PolicyPack pack))) {
      return false;
    }
    try {
      return dryRun.allows(EvaluationRequest.question(asker, question, pack), asker.budget());
    } catch (ProblemException e) {
      if (e.problem() instanceof Problem.NotFound) {
        return false; // the pack does not know the subject
      }
      throw e;
    }
  }
}
