package dev.safeconduct.authzen;

import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.verify.Forecast;
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
 * Finds the subjects, resources or actions that would be allowed (AuthZEN section 8), among those
 * the organization's packs list, its hosted agents, and the packs. Nothing of it is a decision, and
 * nothing is recorded.
 */
public final class Search {
  /** The type under which hosted passports are found. */
  private static final String AGENT = "agent";

  /** So many candidates are judged for one page; what is left goes on the next. */
  private static final int MOST_JUDGED = 1_000;

  private final ActionPacks packs;
  private final Forecast forecast;
  private final Passports passports;

  public Search(ActionPacks packs, Forecast forecast, Passports passports) {
    this.packs = packs;
    this.forecast = forecast;
    this.passports = passports;
  }

  /**
   * What was found.
   *
   * @param nextToken of the page after this; the empty text after the last one
   */
  record Found(List<JsonValue> results, String nextToken) {}

  /** Something that may be a result, and the question whether it is one. */
  private record Candidate(String place, JsonObject result, Evaluation question) {}

  /** The subjects of the type that may do it. */
  Found subjects(
      Asker asker, String type, Action action, Entity resource, JsonObject context, Page page) {
    Function<String, Evaluation> question =
        id -> new Evaluation(new Entity(type, id, Optional.empty()), action, resource, context);
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

  /** The resources of the type it may be done to. */
  Found resources(
      Asker asker, Entity subject, Action action, String type, JsonObject context, Page page) {
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
                    new Evaluation(
                        subject, action, new Entity(type, id, Optional.empty()), context)))
            .iterator(),
        page);
  }

  /** What the subject may do to the resource. */
  Found actions(Asker asker, Entity subject, Entity resource, JsonObject context, Page page) {
    var names = new TreeSet<String>();
    List<AccessModel> models = packs.models(asker.org(), resource.type());
    models.forEach(model -> names.addAll(model.actions()));
    if (models.stream().noneMatch(m -> m.subject(subject.type(), subject.id()).isPresent())) {
      // One that a pack vouches for holds that pack's capabilities and no others.
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
                  new Evaluation(subject, action, resource, context));
            })
            .iterator(),
        page);
  }

  private static Candidate candidate(String place, String type, String id, Evaluation question) {
    return new Candidate(place, new Entity(type, id, Optional.empty()).result(), question);
  }

  private static List<String> ids(Optional<Map<String, JsonObject>> entities) {
    return entities.map(all -> List.copyOf(all.keySet())).orElse(List.of());
  }

  /** Those of the sorted candidates that come after the place; none after a place of others. */
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

  /** Judges one candidate after the other until it knows that there is a further result. */
  private Found found(Asker asker, Iterator<Candidate> candidates, Page page) {
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

  private boolean wouldBeAllowed(Asker asker, Evaluation question) {
    if (!(packs.choose(asker.org(), question.action().name(), question.resource().type())
        instanceof Choice.Pack pack)) {
      return false;
    }
    for (VerifyRequest request : Questions.of(asker, question, pack)) {
      try {
        return forecast.allows(request);
      } catch (ProblemException e) {
        if (!(e.problem() instanceof Problem.NotFound)) {
          throw e;
        }
      }
    }
    return false;
  }
}
