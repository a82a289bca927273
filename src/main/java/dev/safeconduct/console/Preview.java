package dev.safeconduct.console;

import dev.safeconduct.cases.Rehearsal;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.facts.Feeds;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which of an agent's decisions of the last day would come out otherwise by another passport. Each
 * is judged again as it was recorded, with counters that begin empty and are charged by what the
 * other passport allows. What cannot be told is counted, not guessed.
 */
public final class Preview {
  private static final int PAGE = 200;
  private static final int MOST_PAGES = 5;
  private static final int SHOWN = 50;

  private final PolicyCatalog catalog;
  private final PolicyDecisionPoint decisionPoint;
  private final DecisionWords words;

  Preview(PolicyCatalog catalog, PolicyDecisionPoint decisionPoint, DecisionWords words) {
    this.catalog = catalog;
    this.decisionPoint = decisionPoint;
    this.words = words;
  }

  /** What would change; {@code console/preview.jte}. */
  public record View(String lead, List<Change> changes, String note) {
    public View {
      changes = List.copyOf(changes);
    }
  }

  /** A decision that would come out otherwise. */
  public record Change(DecisionWords.Line line, boolean allow, String why) {}

  View of(OpenPage page, JsonObject candidate) {
    String agent = Read.text(candidate, "agent_id");
    Instant from = page.now().minus(Duration.ofDays(1));
    List<JsonObject> records = records(page, agent, from);
    boolean more = records.size() == PAGE * MOST_PAGES;
    Collections.reverse(records);
    Map<String, Rehearsal> rehearsals = new HashMap<>();
    var changes = new ArrayList<Change>();
    int unknown = 0;
    int judged = 0;
    for (JsonObject record : records) {
      if (Read.object(record, "body").isTrue("dry_run")) {
        continue;
      }
      Optional<Outcome> outcome = judge(record, candidate, rehearsals);
      if (outcome.isEmpty()) {
        unknown++;
        continue;
      }
      judged++;
      boolean allow = outcome.get() instanceof Outcome.Allow;
      if (allow != record.isTrue("allow")) {
        changes.add(
            new Change(words.line(record, page.now()), allow, outcome.get().reason().message()));
      }
    }
    return new View(
        lead(judged, changes),
        changes.reversed().subList(0, Math.min(SHOWN, changes.size())),
        note(unknown, more));
  }

  private static String lead(int judged, List<Change> changes) {
    if (judged == 0) {
      return "This agent was asked about nothing in the last 24 hours that could be judged again.";
    }
    if (changes.isEmpty()) {
      return "None of the " + Show.count(judged) + " decisions of the last 24 hours would change.";
    }
    long allows = changes.stream().filter(Change::allow).count();
    return Show.count(changes.size())
        + " of "
        + Show.count(judged, "decision", "decisions")
        + " of the last 24 hours would change: "
        + Show.count(allows)
        + " would be allowed, "
        + Show.count(changes.size() - allows)
        + " denied.";
  }

  private static String note(int unknown, boolean more) {
    return (unknown == 0
            ? ""
            : Show.count(unknown)
                + " more cannot be judged again: a secret in them is not kept, or their policy has"
                + " changed. ")
        + (more ? "Only the newest " + PAGE * MOST_PAGES + " were looked at." : "");
  }

  private static List<JsonObject> records(OpenPage page, String agent, Instant from) {
    var records = new ArrayList<JsonObject>();
    String target =
        "/api/audit?kind=decision&limit="
            + PAGE
            + "&agent_id="
            + Show.url(agent)
            + "&from="
            + Show.url(IsoInstant.millis(from));
    Optional<String> cursor = Optional.of("");
    for (int i = 0; i < MOST_PAGES && cursor.isPresent(); i++) {
      JsonObject answer =
          page.get(target + (cursor.get().isEmpty() ? "" : "&cursor=" + Show.url(cursor.get())));
      records.addAll(Read.objects(answer, "records"));
      cursor = answer.string("next_cursor");
    }
    return records;
  }

  private Optional<Outcome> judge(
      JsonObject record, JsonObject candidate, Map<String, Rehearsal> rehearsals) {
    JsonObject body = Read.object(record, "body");
    JsonObject context = Read.object(Read.object(record, "details"), "context");
    Optional<PolicyPack> pack =
        catalog
            .find(Read.text(record, "policy_id"))
            .filter(known -> known.digest().equals(Read.text(body, "policy_digest")));
    boolean whole = CanonicalJson.digest(context).equals(Read.text(body, "context_digest"));
    Optional<Instant> at = IsoInstant.parse(Read.text(record, "at"));
    if (pack.isEmpty() || !whole || at.isEmpty()) {
      return Optional.empty();
    }
    Rehearsal rehearsal =
        rehearsals.computeIfAbsent(
            pack.get().id().value(), _ -> new Rehearsal(pack.get(), decisionPoint));
    Outcome outcome =
        rehearsal.judge(new Rehearsal.Question(candidate, true, context, Feeds.NONE, at.get()));
    rehearsal.charge(outcome);
    return Optional.of(outcome);
  }
}
