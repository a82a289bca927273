package dev.safeconduct.authzen;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.verify.DryRun;
import dev.safeconduct.verify.VerifyRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds the subjects, resources or actions that would be allowed (AuthZEN section 8). The
 * candidates are the entries of the organization's packs, its hosted agents, and the packs. A
 * search makes no decision and records nothing.
 */
public final class Search {
  /** The entity type of hosted passports. */
  private static final String AGENT = "agent";

  /** The maximum number of candidates evaluated for one page. The next page has the rest. */
  private static final int MOST_JUDGED = 1_000;

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
  Found subjects(
      AuthzenCaller asker,
      String type,
      Action action,
      Entity resource,
      JsonObject context,
      Page page) {
    Function<String, EvaluationRequest> question =
        id ->
            new EvaluationRequest(
                new Entity(type, id, Optional.empty()), action, resource, context);
    List<String> listed =
        packs.choose(asker.org(), action.name(), resource.type()) instanceof Choice.Pack pack
            ? ids(pack.model().map(AccessModel::subjects).map(all -> all.get(type)))
            : List.of();
    Stream<Candidate> candidates =
        after(listed, page, "listed:")
            .map(id -> candidate("listed:" + id, type, id, question.apply(id)));
    if (type.equals(AGENT)) {
      Optional<String> last = page.after().flatMap(place -> behind(place, "hosted:"));
      Iterator<String> agents =
          new HostedAgents(passports, asker.org(), last.filter(Search::isHostedId));
      candidates =
          Stream.concat(
              candidates,
              Stream.generate(() -> agents)
                  .takeWhile(Iterator::hasNext)
                  .map(Iterator::next)
                  .map(id -> candidate("hosted:" + id, type, id, question.apply(id))));
    }
    return found(asker, candidates.iterator(), page);
  }

  /** Returns the resources of the type on which the action is allowed. */
  Found resources(
      AuthzenCaller asker,
      Entity subject,
      Action action,
      String type,
      JsonObject context,
      Page page) {
    List<String> listed =
        packs.choose(asker.org(), action.name(), type) instanceof Choice.Pack pack
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
  Found actions(
      AuthzenCaller asker, Entity subject, Entity resource, JsonObject context, Page page) {
    var names = new TreeSet<String>();
    List<AccessModel> models = packs.models(asker.org(), resource.type());
    models.forEach(model -> names.addAll(model.actions()));
    if (models.stream().noneMatch(m -> m.subject(subject.type(), subject.id()).isPresent())) {
      // A subject that a pack lists has only that pack's capabilities.
      names.addAll(packs.policies(asker.org()));
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

  private static List<String> ids(Optional<Map<String, JsonObject>> entities) {
    return entities.map(all -> List.copyOf(all.keySet())).orElse(List.of());
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

  private static boolean isHostedId(String text) {
    return AgentId.hosted(text).isPresent();
  }

  /** Evaluates the candidates in order until the page is full and a further result exists. */
  private Found found(AuthzenCaller asker, Iterator<Candidate> candidates, Page page) {
    var results = new ArrayList<JsonValue>();
    Optional<String> last = page.after();
    for (int judged = 0; candidates.hasNext(); judged++) {
      if (judged == MOST_JUDGED) {
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

  private boolean wouldBeAllowed(AuthzenCaller asker, EvaluationRequest question) {
    if (!(packs.choose(asker.org(), question.action().name(), question.resource().type())
        instanceof Choice.Pack pack)) {
      return false;
    }
    for (VerifyRequest request : Questions.of(asker, question, pack)) {
      try {
        return dryRun.allows(request);
      } catch (ProblemException e) {
        if (!(e.problem() instanceof Problem.NotFound)) {
          throw e;
        }
      }
    }
    return false;
  }
}
