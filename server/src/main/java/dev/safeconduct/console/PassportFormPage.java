package dev.safeconduct.console;

import dev.safeconduct.console.view.DecisionWords;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.SchemaForm;
import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.EntityTag;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passports;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Creating a passport from a preset, and editing its limits, with a preview of the effect. */
public final class PassportFormPage {
  private static final String LIST = "/console/passports";
  private static final String PRESETS = "/api/public/framework-passport-presets";

  /** What a new passport takes from a preset. */
  private static final List<String> OF_PRESET =
      List.of(
          "role", "description", "capabilities", "limits", "regions", "framework", "categories");

  private static final Problem CHANGED =
      new Problem.Conflict(
          "This passport was changed after you opened it. Review the change, then save yours again.",
          "version_mismatch");

  private final Preview preview;
  private final Passports passports;
  private final KnownPacks known;

  PassportFormPage(Preview preview, Passports passports, KnownPacks known) {
    this.preview = preview;
    this.passports = passports;
    this.known = known;
  }

  List<Route> routes(SignInPage signIn) {
    return List.of(
        signIn.page(LIST + "/new", this::fresh),
        signIn.form(LIST + "/new", this::create, this::fresh),
        signIn.page(LIST + "/{agent_id}/edit", this::open),
        signIn.form(LIST + "/{agent_id}/edit", this::save));
  }

  /** The form for a new passport; {@code console/passport-new.jte}. */
  public record Fresh(
      Layout shell,
      List<Preset> jobs,
      List<Preset> presets,
      String chosen,
      String name,
      String description) {}

  /**
   * A preset to choose.
   *
   * @param opens what it permits without a limit; empty for nothing
   * @param denied which of its capabilities a new passport cannot use yet, in sentences
   */
  public record Preset(
      String id, String name, String description, String abilities, String opens, String denied) {}

  private Response fresh(OpenPage page) {
    page.demand("POST", "/api/passports");
    AssuranceNeeds needs = AssuranceNeeds.of(known, page);
    List<Preset> presets =
        page.get(PRESETS).objects("presets").stream().map(preset -> preset(preset, needs)).toList();
    String chosen = page.field("preset").or(() -> page.query("preset")).orElse("job-commands");
    return page.show(
        "console/passport-new.jte",
        "New passport",
        shell ->
            new Fresh(
                shell,
                AgentJob.ALL.stream()
                    .map(job ->
                        new Preset(
                            job.id(),
                            job.name(),
                            job.description(),
                            String.join(", ", job.capabilities()),
                            "",
                            String.join(" ", needs.above(AssuranceLevel.L0, job.capabilities()))))
                    .toList(),
                presets,
                chosen,
                page.entered("name"),
                page.entered("description")));
  }

  private static Preset preset(JsonObject preset, AssuranceNeeds needs) {
    List<String> abilities =
        preset.objects("capabilities").stream().map(capability -> capability.text("id")).toList();
    return new Preset(
        preset.text("id"),
        preset.text("name"),
        preset.text("description"),
        String.join(", ", abilities),
        opens(preset.child("limits")),
        String.join(" ", needs.above(AssuranceLevel.L0, abilities)));
  }

  /** Returns what the limits permit without restriction, in words: {@code all commands}. */
  private static String opens(JsonObject limits) {
    var opens = new LinkedHashSet<String>();
    for (String container : limits.names()) {
      JsonObject own = limits.child(container);
      for (String name : own.names()) {
        if (name.startsWith("allowed_") && own.texts(name).contains("*")) {
          opens.add(Formats.words(name.substring("allowed_".length())));
        }
      }
    }
    return opens.isEmpty() ? "" : "all " + String.join(", ", opens);
  }

  private Response create(OpenPage page) {
    String chosen = page.entered("preset");
    Optional<AgentJob> job =
        AgentJob.ALL.stream().filter(each -> each.id().equals(chosen)).findFirst();
    JsonObject granted =
        job.isPresent()
            ? JsonObject.of(
                "capabilities",
                new JsonArray(
                    job.get().capabilities().stream()
                        .<JsonValue>map(id -> JsonObject.of("id", id))
                        .toList()))
            : page.get(PRESETS + "/" + Formats.url(chosen)).child("data").only(OF_PRESET);
    JsonObject made =
        page.send(
            "POST",
            "/api/passports",
            granted.toBuilder()
                .put("name", page.entered("name"))
                .putIfPresent("description", page.field("description"))
                .build());
    String path = LIST + "/" + Formats.url(made.text("agent_id"));
    return job.isPresent()
        ? OpenPage.done(path + "/edit", FlashMessage.CREATED_NARROW)
        : OpenPage.done(path, FlashMessage.CREATED);
  }

  /**
   * The editor; {@code console/passport-edit.jte}.
   *
   * @param adds the name of the capability that is ticked because the address names it; empty for
   *     none
   */
  public record Edit(
      Layout shell,
      String path,
      String name,
      String description,
      String version,
      List<Block> blocks,
      List<Addable> addable,
      String adds,
      boolean all,
      Optional<DecisionWords.Line> decision,
      HooksForm hooks,
      Optional<Preview.View> preview) {}

  /** A capability that can be added. */
  public record Addable(String id, String name) {}

  /**
   * A capability with the fields of its limits.
   *
   * @param shared the name of the capability with the fields of the same limits; empty if this one
   *     has them
   * @param more the fields of limits that are not set
   * @param opened whether the reader came for one of these
   */
  public record Block(
      String id,
      String name,
      String description,
      boolean held,
      String shared,
      List<SchemaForm.Field> fields,
      List<SchemaForm.Field> more,
      boolean opened) {}

  private static JsonObject passport(OpenPage page) {
    return page.get("/api/passports/" + Formats.url(page.param("agent_id")));
  }

  private Response open(OpenPage page) {
    String version = version(page, passports); // first, so that it is not newer than what is shown
    return edit(page, passport(page), version, Optional.empty());
  }

  /** Returns the passport's revision: a save is refused if the passport has another one then. */
  static String version(OpenPage page, Passports passports) {
    return AgentId.hosted(page.param("agent_id"))
        .flatMap(passports::find)
        .map(passport -> Long.toString(passport.revision()))
        .orElse("");
  }

  private Response edit(
      OpenPage page, JsonObject passport, String version, Optional<Preview.View> shown) {
    page.demand("PATCH", "/api/passports/x");
    JsonObject schema = page.get("/api/schema/capabilities-limits");
    JsonObject limits = passport.child("limits");
    Set<String> held = held(passport).canonicalIds();
    String add = held.contains(page.query("add").orElse("")) ? "" : page.query("add").orElse("");
    String adds = "";
    List<String> asked = shown(page);
    boolean all = page.field("all").isPresent() || page.entered("do").equals("all");
    var blocks = new ArrayList<Block>();
    var addable = new ArrayList<Addable>();
    // Capabilities can have the same limits. The fields of these are shown once, or one block
    // would undo what was entered in another.
    var owners = new HashMap<String, String>();
    for (JsonObject known : schema.objects("capabilities")) {
      String id = known.text("id");
      String name = known.text("name");
      if (held.contains(id) || asked.contains(id) || id.equals(add)) {
        adds = id.equals(add) ? name : adds;
        String owner = owners.putIfAbsent(container(known), name);
        blocks.add(
            block(
                page,
                known,
                held.contains(id) || id.equals(add),
                owner == null ? "" : owner,
                owner == null ? fields(schema, known, limits) : List.of()));
      } else if (all || !isReserved(known)) {
        addable.add(new Addable(id, name));
      }
    }
    String added = adds;
    return page.show(
        "console/passport-edit.jte",
        "Edit passport",
        shell ->
            new Edit(
                shell,
                LIST + "/" + Formats.url(passport.text("agent_id")),
                passport.text("name"),
                passport.text("description"),
                version,
                blocks,
                addable,
                added,
                all,
                decision(page),
                HooksForm.of(passport),
                shown));
  }

  /** Returns the capabilities that the page shows besides those of the passport. */
  private static List<String> shown(OpenPage page) {
    var shown = new ArrayList<>(page.request().formFields("shown"));
    shown.addAll(page.request().formFields("capability"));
    page.query("capability").ifPresent(shown::add);
    return shown;
  }

  private static boolean isReserved(JsonObject capability) {
    return capability.text("description").startsWith("Reserved");
  }

  /** Returns the fields of the capability's limits, with the passport's values. */
  private static List<SchemaForm.Field> fields(
      JsonObject schema, JsonObject known, JsonObject limits) {
    String container = container(known);
    return SchemaForm.fields(
        prefix(container), schema.child("limits").child(known.text("id")), limits.child(container));
  }

  private static Block block(
      OpenPage page,
      JsonObject known,
      boolean ticked,
      String shared,
      List<SchemaForm.Field> limits) {
    String id = known.text("id");
    String opened = prefix(container(known)) + page.query("limit").orElse("");
    Map<Boolean, List<SchemaForm.Field>> fields =
        limits.stream()
            .collect(
                Collectors.partitioningBy(
                    field -> !field.isEmpty() || field.required() || field.name().equals(opened)));
    return new Block(
        id,
        known.text("name"),
        known.text("description"),
        ticked,
        shared,
        fields.getOrDefault(true, List.of()),
        fields.getOrDefault(false, List.of()),
        page.request().formFields("shown").contains(id) && page.isWrong());
  }

  /** Returns the decision from which the reader came. */
  private Optional<DecisionWords.Line> decision(OpenPage page) {
    return page.query("decision")
        .or(() -> page.field("decision"))
        .filter(_ -> page.may("GET", "/api/audit"))
        .flatMap(id -> page.find("/api/audit/" + Formats.url(id)))
        .map(record -> preview.words().line(record, page.now()));
  }

  /** Returns the name of a limit's field; the field's id is the same. */
  static String field(JsonObject known, String limit) {
    return prefix(container(known)) + limit;
  }

  private static String prefix(String container) {
    return "limit:" + container + ":";
  }

  /** Returns where the passport has the limits of a capability of the schema. */
  private static String container(JsonObject known) {
    return known.string("limits_container").orElseGet(() -> known.text("id"));
  }

  private static Capabilities held(JsonObject passport) {
    return new Capabilities(passport.list("capabilities"));
  }

  /** Returns the canonical id of a passport's capability. */
  private static String canonical(JsonObject held) {
    return Capabilities.canonical(held.text("id"));
  }

  /** Returns the passport as the form describes it. */
  private static JsonObject candidate(OpenPage page, JsonObject passport) {
    JsonObject schema = page.get("/api/schema/capabilities-limits");
    List<String> ticked = page.request().formFields("capability");
    List<String> shown = shown(page);
    var capabilities = new ArrayList<JsonValue>();
    var known = new ArrayList<String>();
    JsonObject.Builder limits = JsonObject.builder().putAll(passport.child("limits"));
    JsonObject before = passport.child("limits");
    for (JsonObject capability : schema.objects("capabilities")) {
      String id = capability.text("id");
      String container = container(capability);
      if (!shown.contains(id)) {
        continue; // The form says nothing of it.
      }
      known.add(id);
      JsonObject shape = schema.child("limits").child(id);
      JsonObject read = SchemaForm.read(prefix(container), shape, page::field);
      if (ticked.contains(id)) {
        List<JsonObject> had =
            passport.objects("capabilities").stream()
                .filter(each -> canonical(each).equals(id))
                .toList();
        capabilities.addAll(had.isEmpty() ? List.of(JsonObject.of("id", id)) : had);
      }
      if (!read.isEmpty() || before.has(container)) {
        // Members that the form does not know stay unchanged.
        JsonObject kept = before.child(container);
        for (String name : shape.child("properties").names()) {
          kept = kept.without(name);
        }
        limits.put(container, kept.toBuilder().putAll(read).build());
      }
    }
    for (JsonObject held : passport.objects("capabilities")) {
      if (!known.contains(canonical(held))) {
        capabilities.add(held);
      }
    }
    return HooksForm.read(page, passport)
        .with("capabilities", new JsonArray(capabilities))
        .with("limits", limits.build())
        .with("name", new JsonString(page.entered("name")))
        .with("description", new JsonString(page.entered("description")));
  }

  private Response save(OpenPage page) {
    String newest = version(page, passports);
    String opened = page.entered("version");
    JsonObject passport = passport(page);
    JsonObject wanted;
    try {
      wanted = candidate(page, passport);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> edit(page, passport, opened, Optional.empty()));
    }
    return switch (page.entered("do")) {
      case "preview" -> edit(page, wanted, opened, Optional.of(preview.of(page, wanted)));
      case "add" -> edit(page, added(page, wanted), opened, Optional.empty());
      case "all" -> edit(page, wanted, opened, Optional.empty());
      default -> patch(page, passport, wanted, newest, opened);
    };
  }

  /** Returns the passport with the capability that the reader picked, by its id or its name. */
  private static JsonObject added(OpenPage page, JsonObject wanted) {
    String picked = page.entered("add");
    var capabilities = new ArrayList<JsonValue>(wanted.objects("capabilities"));
    page.get("/api/schema/capabilities-limits").objects("capabilities").stream()
        .filter(
            known -> known.text("id").equals(picked) || known.text("name").equalsIgnoreCase(picked))
        .findFirst()
        .map(known -> known.text("id"))
        .filter(id -> !held(wanted).holds(id))
        .ifPresent(id -> capabilities.add(JsonObject.of("id", id)));
    return wanted.with("capabilities", new JsonArray(capabilities));
  }

  private Response patch(
      OpenPage page, JsonObject passport, JsonObject wanted, String newest, String opened) {
    try {
      String id = passport.text("agent_id");
      page.send(
          "PATCH",
          "/api/passports/" + Formats.url(id),
          wanted.only(List.of("name", "description", "capabilities", "limits", "hooks")),
          Map.of("If-Match", new EntityTag(opened).header()));
      return OpenPage.done(LIST + "/" + Formats.url(id), FlashMessage.SAVED);
    } catch (ProblemException e) {
      return e.problem() instanceof Problem.Conflict(String _, String reason)
              && reason.equals("version_mismatch")
          ? page.failed(CHANGED, () -> edit(page, wanted, newest, Optional.empty()))
          : page.failed(e.problem(), () -> edit(page, wanted, opened, Optional.empty()));
    }
  }
}
