package dev.safeconduct.console;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Says a policy's rules in words, and how its versions stand. */
public final class PolicyStory {
  private static final int DIFFERENCES = 20;
  private static final String EXAMPLE =
      """
      [{"name": "says what it shows",
        "passport": {"capabilities": [], "limits": {}},
        "context": {},
        "allow": false}]\
      """;

  /** The page; {@code console/policy.jte}. */
  public record View(
      Shell shell,
      String path,
      String id,
      String name,
      String lead,
      boolean own,
      boolean mayEdit,
      List<String> demands,
      List<Rule> rules,
      List<Limit> limits,
      List<Version> versions,
      Optional<Shadow> shadow,
      Optional<PolicyCases.Told> cases,
      String pasted,
      String example,
      Optional<PolicyCases.Told> tried,
      String source) {
    public View {
      demands = List.copyOf(demands);
      rules = List.copyOf(rules);
      limits = List.copyOf(limits);
      versions = List.copyOf(versions);
    }
  }

  /**
   * A rule in words beside its source.
   *
   * @param key its name in the source
   * @param cases what cases show of it, where there are any
   */
  public record Rule(
      String key,
      String name,
      String words,
      String code,
      String means,
      Optional<PolicyCases.OfRule> cases,
      String source) {}

  /** A limit that passports may set. */
  public record Limit(String name, String type, String description, boolean required) {}

  /** A version of an organization's own pack. */
  public record Version(String number, String status, String by, Show.When at) {}

  /** What a trial has found. */
  public record Shadow(String text, boolean running, List<String> differences) {
    public Shadow {
      differences = List.copyOf(differences);
    }
  }

  private final PolicyCases cases;

  PolicyStory(PolicyCases cases) {
    this.cases = cases;
  }

  /** {@code pasted}: cases to run by it; empty for none. */
  View tell(OpenPage page, Shell shell, String id, String pasted) {
    String api = PoliciesPage.own(page) + "/" + Show.url(id);
    Optional<JsonObject> own = page.find(api);
    JsonObject pack = document(page, id);
    Optional<PolicyCases.Told> shipped = cases.shipped(pack);
    List<JsonObject> rules = Read.objects(pack, "evaluation_rules");
    return new View(
        shell,
        "/console/policies/" + Show.url(id),
        id,
        Read.text(pack, "name"),
        Read.text(pack, "description"),
        own.isPresent(),
        page.may("POST", PoliciesPage.own(page)),
        demands(pack),
        rules.stream().map(rule -> rule(rule, shipped)).toList(),
        limits(Read.object(pack, "limits")),
        own.isPresent() ? versions(page, api) : List.of(),
        own.filter(known -> known.present("shadow_version") != null).map(_ -> shadow(page, api)),
        shipped,
        pasted,
        EXAMPLE,
        pasted.isEmpty() || page.isWrong()
            ? Optional.empty()
            : Optional.of(cases.run(pack, pasted)),
        Indented.text(pack));
  }

  /** The pack in force, or the latest where none is. */
  private static JsonObject document(OpenPage page, String id) {
    String api = PoliciesPage.own(page) + "/" + Show.url(id);
    return page.find(api)
        .flatMap(known -> document(page, api, known))
        .or(() -> page.find("/api/policies/" + Show.url(id)))
        .orElseThrow(() ->
            new Problem.NotFound("No such policy is known.", "unknown_policy", Map.of())
                .toException());
  }

  private static Optional<JsonObject> document(OpenPage page, String api, JsonObject known) {
    return Read.whole(known, "active_version")
        .or(() -> Read.whole(known, "latest_version"))
        .flatMap(version -> page.find(api + "/versions/" + version));
  }

  private static List<String> demands(JsonObject pack) {
    var demands = new ArrayList<String>();
    demands.add("The passport is active and has not expired.");
    demands.add(
        "It holds the capability "
            + String.join(" or ", Read.texts(pack, "requires_capabilities"))
            + ".");
    String assurance = Read.text(pack, "min_assurance");
    if (!assurance.isEmpty() && !assurance.equals("L0")) {
      demands.add("Its assurance level is at least " + assurance + ".");
    }
    List<String> fields = Read.texts(pack, "required_fields");
    if (!fields.isEmpty()) {
      demands.add("The action says " + String.join(", ", fields) + ".");
    }
    return demands;
  }

  private static Rule rule(JsonObject rule, Optional<PolicyCases.Told> cases) {
    String code = Read.text(rule, "deny_code");
    return new Rule(
        Read.text(rule, "name"),
        Show.sentence(Show.words(Read.text(rule, "name"))),
        rule.string("description").or(() -> rule.string("message")).orElse(""),
        code,
        Words.reason(code),
        cases.flatMap(told -> Optional.ofNullable(told.rules().get(Read.text(rule, "name")))),
        Indented.text(rule));
  }

  private static List<Limit> limits(JsonObject limits) {
    return limits.names().stream()
        .map(name -> {
          JsonObject limit = Read.object(limits, name);
          return new Limit(
              name,
              Show.words(Read.text(limit, "type")),
              Read.text(limit, "description"),
              limit.isTrue("required"));
        })
        .toList();
  }

  private static List<Version> versions(OpenPage page, String api) {
    return Read.objects(page.get(api + "/versions?limit=20"), "versions").stream()
        .map(version ->
            new Version(
                Read.whole(version, "version").map(String::valueOf).orElse(""),
                Read.text(version, "status"),
                Words.caller(Read.text(version, "created_by")),
                Show.when(Read.text(version, "created_at"), page.now())))
        .toList();
  }

  private static Shadow shadow(OpenPage page, String api) {
    JsonObject found = page.get(api + "/shadow?limit=" + DIFFERENCES);
    JsonObject counts = Read.object(found, "counts");
    long evaluated = Read.whole(counts, "evaluated").orElse(0L);
    return new Shadow(
        "Version "
            + Read.whole(found, "shadow_version").map(String::valueOf).orElse("?")
            + " was tried on "
            + Show.count(evaluated, "decision", "decisions")
            + ": it would deny "
            + Show.count(Read.whole(counts, "would_deny").orElse(0L))
            + " that were allowed, and allow "
            + Show.count(Read.whole(counts, "would_allow").orElse(0L))
            + " that were denied.",
        found.isTrue("running"),
        Read.objects(found, "differences").stream()
            .map(d -> Show.clip(d.toString(), 400))
            .toList());
  }
}
