package dev.safeconduct.console;

import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.IndentedJson;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.AssetEndpoints;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonPlaces;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes a policy: its text with the faults and their lines, and cases to run under it. */
public final class PolicyEditorPage {
  private static final String PATH = "/console/policies/edit";
  private static final String REF = "#/components/schemas/";
  private static final Pattern LINE = Pattern.compile("line (\\d{1,6})");

  private final PolicyCases cases;
  private final PolicyCatalog catalog;
  private final AssetEndpoints.Editor assets;
  private volatile String completions = "";

  PolicyEditorPage(PolicyCases cases, PolicyCatalog catalog, AssetEndpoints.Editor assets) {
    this.cases = cases;
    this.catalog = catalog;
    this.assets = assets;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(
            PATH,
            page -> {
              String from = page.query("from").orElse("");
              return shown(page, source(page, from), PolicyView.EXAMPLE, Checked.NOT_YET);
            }),
        signIn.form(PATH, this::sent));
  }

  /** The page; {@code console/policy-edit.jte}. {@code completions}: see {@link #completions}. */
  public record Editor(
      Layout shell,
      String text,
      String cases,
      Checked checked,
      String completions,
      AssetEndpoints.Editor assets) {}

  /**
   * The result of a check.
   *
   * @param good the sentence for a policy without faults
   * @param run the result of the cases
   */
  public record Checked(String good, List<Fault> faults, Optional<PolicyCases.Results> run) {
    public static final Checked NOT_YET = new Checked("", List.of(), Optional.empty());

    public boolean isDone() {
      return !good.isEmpty() || !faults.isEmpty();
    }
  }

  /**
   * A fault.
   *
   * @param field the text area it is in: {@code text} or {@code cases}
   * @param line empty if it belongs to no line
   */
  public record Fault(String field, OptionalInt line, String text) {}

  /** Returns a policy's text. The copy of a built-in policy gets an id of its own. */
  private static String source(OpenPage page, String id) {
    if (id.isEmpty()) {
      return "";
    }
    boolean own = page.find(PoliciesPage.own(page) + "/" + Formats.url(id)).isPresent();
    JsonObject pack = PolicyView.document(page, id).without("policy_id");
    return IndentedJson.text(own ? pack : pack.with("id", new JsonString("custom." + id)));
  }

  private Response shown(OpenPage page, String text, String written, Checked checked) {
    page.demand("POST", PoliciesPage.own(page));
    return page.show(
        "console/policy-edit.jte",
        "Write a policy",
        shell -> new Editor(shell, text, written, checked, completions(page), assets));
  }

  /** Returns the completions, which are made for the first reader. */
  private String completions(OpenPage page) {
    if (completions.isEmpty()) {
      completions = completions(page.get("/api/openapi-json"), catalog.all());
    }
    return completions;
  }

  private Response sent(OpenPage page) {
    String text = page.entered("text");
    String written = page.entered("cases");
    JsonObject pack;
    try {
      pack = parsed(text);
      if (!page.entered("do").equals("save")) {
        return shown(page, text, written, checked(page, pack, written));
      }
      String id = pack.text("id");
      String own = PoliciesPage.own(page);
      boolean known = page.find(own + "/" + Formats.url(id)).isPresent();
      page.send(known ? "PUT" : "POST", own + (known ? "/" + Formats.url(id) : ""), pack);
      return OpenPage.done("/console/policies/" + Formats.url(id), FlashMessage.POLICY_SAVED);
    } catch (ProblemException e) {
      return shown(
          page, text, written, new Checked("", faults(text, e.problem()), Optional.empty()));
    }
  }

  private Checked checked(OpenPage page, JsonObject pack, String written) {
    JsonObject valid = page.send("POST", "/api/policies/validate", pack);
    String good =
        "No errors: " + Formats.count(valid.whole("rules").orElse(0L), "rule", "rules") + ".";
    if (written.isBlank()) {
      return new Checked(good, List.of(), Optional.empty());
    }
    try {
      return new Checked(good, List.of(), Optional.of(cases.run(pack, written)));
    } catch (ProblemException e) {
      String message = e.problem().message();
      return new Checked(
          good, List.of(new Fault("cases", line(message), message)), Optional.empty());
    }
  }

  private static List<Fault> faults(String text, Problem problem) {
    if (problem instanceof Problem.InvalidPolicy policy) {
      JsonPlaces places = JsonPlaces.of(text);
      return policy.faults().stream()
          .map(fault -> new Fault("text", places.line(fault.field()), fault.text()))
          .toList();
    }
    return List.of(new Fault("text", line(problem.message()), problem.message()));
  }

  private static OptionalInt line(String message) {
    Matcher line = LINE.matcher(message);
    return line.find() ? OptionalInt.of(Integer.parseInt(line.group(1))) : OptionalInt.empty();
  }

  private static JsonObject parsed(String text) {
    try {
      if (Json.parse(text) instanceof JsonObject object) {
        return object;
      }
      throw ProblemException.invalid("text", "A policy is a JSON object.");
    } catch (JsonFault e) {
      throw ProblemException.invalid(
          "text", e.getMessage() == null ? "This is not valid JSON." : e.getMessage());
    }
  }

  /**
   * Returns what the editor completes, as JSON for the page: the members of a pack by its schema in
   * the API's description, and the values that built-in packs use.
   *
   * @param contract the API's description
   */
  private static String completions(JsonObject contract, Collection<PolicyPack> packs) {
    JsonObject all = contract.child("components").child("schemas");
    JsonObject.Builder schemas = JsonObject.builder();
    collect(all, "PolicyPack", schemas, new HashSet<>());
    JsonArray capabilities = sorted(packs.stream().flatMap(pack -> pack.capabilities().stream()));
    JsonObject values =
        JsonObject.builder()
            .put("requires_capabilities", capabilities)
            .put("limits_containers", capabilities)
            .put("validator", sorted(ofRules(packs, "validator")))
            .put("deny_code", sorted(ofRules(packs, "deny_code")))
            .build();
    return JsonObject.builder()
        .put("schemas", schemas.build())
        .put("values", values)
        .build()
        .toString();
  }

  private static Stream<String> ofRules(Collection<PolicyPack> packs, String member) {
    return packs.stream()
        .flatMap(pack -> pack.document().objects("evaluation_rules").stream())
        .flatMap(rule -> rule.string(member).stream());
  }

  private static JsonArray sorted(Stream<String> names) {
    return JsonArray.ofStrings(names.collect(Collectors.toCollection(TreeSet::new)));
  }

  /** Adds a schema and those it refers to. */
  private static void collect(
      JsonObject all, String name, JsonObject.Builder into, Set<String> seen) {
    if (seen.add(name)) {
      JsonObject schema = all.child(name);
      into.put(name, schema);
      refs(schema, ref -> collect(all, ref, into, seen));
    }
  }

  private static void refs(JsonValue value, Consumer<String> found) {
    if (value instanceof JsonObject object) {
      object
          .string("$ref")
          .filter(ref -> ref.startsWith(REF))
          .ifPresent(ref -> found.accept(ref.substring(REF.length())));
      object.forEach((_, part) -> refs(part, found));
    } else if (value instanceof JsonArray array) {
      array.forEach(part -> refs(part, found));
    }
  }
}
