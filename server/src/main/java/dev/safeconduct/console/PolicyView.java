package dev.safeconduct.console;

import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.IndentedJson;
import dev.safeconduct.console.view.Labels;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Describes a policy's rules in words, and the status of its versions. */
public final class PolicyView {
  private static final int DIFFERENCES = 20;
  static final String EXAMPLE =
      """
      [{"name": "says what it shows",
        "passport": {"capabilities": [], "limits": {}},
        "context": {},
        "allow": false}]\
      """;

  private final PolicyCases cases;

  public PolicyView(PolicyCases cases) {
    this.cases = cases;
  }

  /** The page; {@code console/policy.jte}. */
  public record PolicyPage(
      Layout shell,
      String path,
      String id,
      String name,
      String lead,
      String managed,
      boolean own,
      boolean mayEdit,
      List<String> demands,
      List<Rule> rules,
      List<Limit> limits,
      List<Version> versions,
      Optional<Shadow> shadow,
      Optional<PolicyCases.Results> cases,
      String pasted,
      String example,
      Optional<PolicyCases.Results> tried,
      String source) {}

  /**
   * A rule in words with its source.
   *
   * @param key its name in the source
   * @param cases the coverage of the rule by cases, if there are any
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
  public record Version(String number, String status, String by, Formats.When at) {}

  /** The result of a trial. */
  public record Shadow(String text, List<String> differences) {}

  /** {@code pasted}: cases to run under the policy; empty for none. */
  public PolicyPage page(OpenPage page, Layout shell, String id, String pasted) {
    String api = PoliciesPage.own(page) + "/" + Formats.url(id);
    Optional<JsonObject> own = page.find(api);
    JsonObject pack = document(page, id);
    Optional<PolicyCases.Results> shipped = cases.shipped(pack);
    List<JsonObject> rules = pack.objects("evaluation_rules");
    return new PolicyPage(
        shell,
        "/console/policies/" + Formats.url(id),
        id,
        pack.text("name"),
        pack.text("description"),
        own.isPresent() ? ManagedByCode.sentence(page, id) : "",
        own.isPresent(),
        page.may("POST", PoliciesPage.own(page)),
        demands(pack),
        rules.stream().map(rule -> rule(rule, shipped)).toList(),
        limits(pack.child("limits")),
        own.isPresent() ? versions(page, api) : List.of(),
        own.filter(known -> known.present("shadow_version") != null).map(_ -> shadow(page, api)),
        shipped,
        pasted,
        EXAMPLE,
        pasted.isEmpty() || page.isWrong()
            ? Optional.empty()
            : Optional.of(cases.run(pack, pasted)),
        IndentedJson.text(pack));
  }

  /** Returns the active pack, or the latest version if none is active. */
  static Optional<JsonObject> find(OpenPage page, String id) {
    String api = PoliciesPage.own(page) + "/" + Formats.url(id);
    return page.find(api)
        .flatMap(known -> document(page, api, known))
        .or(() -> page.find("/api/policies/" + Formats.url(id)));
  }

  /** {@link #find}, or 404. */
  static JsonObject document(OpenPage page, String id) {
    return find(page, id)
        .orElseThrow(() ->
            ProblemException.notFound("This policy does not exist.", "unknown_policy", Map.of()));
  }

  private static Optional<JsonObject> document(OpenPage page, String api, JsonObject known) {
    return known
        .whole("active_version")
        .or(() -> known.whole("latest_version"))
        .flatMap(version -> page.find(api + "/versions/" + version));
  }

  private static List<String> demands(JsonObject pack) {
    var demands = new ArrayList<String>();
    demands.add("The passport is active and has not expired.");
    demands.add(
        "The passport has the capability "
            + String.join(" or ", pack.texts("requires_capabilities"))
            + ".");
    String assurance = pack.text("min_assurance");
    if (!assurance.isEmpty() && !assurance.equals("L0")) {
      demands.add("The assurance level is at least " + assurance + ".");
    }
    List<String> fields = pack.texts("required_fields");
    if (!fields.isEmpty()) {
      demands.add("The context has " + String.join(", ", fields) + ".");
    }
    return demands;
  }

  private static Rule rule(JsonObject rule, Optional<PolicyCases.Results> cases) {
    String code = rule.text("deny_code");
    return new Rule(
        rule.text("name"),
        Formats.sentence(Formats.words(rule.text("name"))),
        rule.string("description").or(() -> rule.string("message")).orElse(""),
        code,
        Labels.reason(code),
        cases.flatMap(results -> Optional.ofNullable(results.rules().get(rule.text("name")))),
        IndentedJson.text(rule));
  }

  private static List<Limit> limits(JsonObject limits) {
    return limits.names().stream()
        .map(name -> {
          JsonObject limit = limits.child(name);
          return new Limit(
              name,
              Formats.words(limit.text("type")),
              limit.text("description"),
              limit.isTrue("required"));
        })
        .toList();
  }

  private static List<Version> versions(OpenPage page, String api) {
    return page.get(api + "/versions?limit=20").objects("versions").stream()
        .map(version ->
            new Version(
                version.whole("version").map(String::valueOf).orElse(""),
                version.text("status"),
                page.actor(version.text("created_by")).name(),
                page.when(version.text("created_at"))))
        .toList();
  }

  private static Shadow shadow(OpenPage page, String api) {
    JsonObject found = page.get(api + "/shadow?limit=" + DIFFERENCES);
    JsonObject counts = found.child("counts");
    long evaluated = counts.whole("evaluated").orElse(0L);
    return new Shadow(
        ("Version %s evaluated %s: it would have denied %s that were allowed, and "
                + "allowed %s that were denied.")
            .formatted(
                found.whole("shadow_version").map(String::valueOf).orElse("?"),
                Formats.count(evaluated, "decision", "decisions"),
                Formats.count(counts.whole("would_deny").orElse(0L)),
                Formats.count(counts.whole("would_allow").orElse(0L))),
        found.objects("differences").stream().map(d -> Formats.clip(d.toString(), 400)).toList());
  }
}
