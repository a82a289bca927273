package dev.safeconduct.console;

import dev.safeconduct.console.view.AnswerReader;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.SchemaForm;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.EntityTag;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passports;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Creating a passport from a preset, and editing its limits, with a preview of the effect. */
public final class PassportFormPage {
  private static final String LIST = "/console/passports";
  private static final String PRESETS = "/api/public/framework-passport-presets";

  private static final Problem CHANGED =
      new Problem.Conflict(
          "This passport was changed after you opened it. Review the change, then save yours again.",
          "version_mismatch");

  private final SignInPage signIn;
  private final Preview preview;
  private final Passports passports;

  PassportFormPage(SignInPage signIn, Preview preview, Passports passports) {
    this.signIn = signIn;
    this.preview = preview;
    this.passports = passports;
  }

  List<Route> routes() {
    return List.of(
        signIn.page(LIST + "/new", this::fresh),
        signIn.form(LIST + "/new", this::create),
        signIn.page(LIST + "/{agent_id}/edit", this::open),
        signIn.form(LIST + "/{agent_id}/edit", this::save));
  }

  /** The form for a new passport; {@code console/passport-new.jte}. */
  public record Fresh(
      Layout shell, List<Preset> presets, String chosen, String name, String description) {
    public Fresh {
      presets = List.copyOf(presets);
    }
  }

  /** A preset to choose. */
  public record Preset(String id, String name, String description, String abilities) {}

  private Response fresh(OpenPage page) {
    page.demand("POST", "/api/passports");
    List<Preset> presets =
        AnswerReader.objects(page.get(PRESETS), "presets").stream()
            .map(preset ->
                new Preset(
                    AnswerReader.text(preset, "id"),
                    AnswerReader.text(preset, "name"),
                    AnswerReader.text(preset, "description"),
                    String.join(
                        ", ",
                        AnswerReader.objects(preset, "capabilities").stream()
                            .map(capability -> AnswerReader.text(capability, "id"))
                            .toList())))
            .toList();
    String chosen = page.field("preset").or(() -> page.query("preset")).orElse("claude-code");
    return page.show(
        "console/passport-new.jte",
        "New passport",
        shell ->
            new Fresh(
                shell,
                presets,
                chosen,
                page.field("name").orElse(""),
                page.field("description").orElse("")));
  }

  private Response create(OpenPage page) {
    String chosen = page.field("preset").orElse("");
    try {
      JsonObject preset =
          AnswerReader.object(page.get(PRESETS + "/" + Formats.url(chosen)), "data");
      JsonObject.Builder body =
          preset
              .only(
                  List.of(
                      "role",
                      "description",
                      "capabilities",
                      "limits",
                      "regions",
                      "framework",
                      "categories"))
              .toBuilder();
      body.put("name", page.field("name").orElse(""));
      page.field("description").ifPresent(text -> body.put("description", text));
      JsonObject made = page.send("POST", "/api/passports", body.build());
      return OpenPage.done(
          LIST + "/" + Formats.url(AnswerReader.text(made, "agent_id")), FlashMessage.CREATED);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> fresh(page));
    }
  }

  /** The editor; {@code console/passport-edit.jte}. */
  public record Edit(
      Layout shell,
      String path,
      String name,
      String description,
      String version,
      List<Block> blocks,
      HooksForm hooks,
      Optional<Preview.View> preview) {
    public Edit {
      blocks = List.copyOf(blocks);
    }
  }

  /** A capability with the fields of its limits. */
  public record Block(
      String id, String name, String description, boolean held, List<SchemaForm.Field> fields) {
    public Block {
      fields = List.copyOf(fields);
    }
  }

  private static JsonObject passport(OpenPage page) {
    return page.get("/api/passports/" + Formats.url(page.request().pathParam("agent_id")));
  }

  private Response open(OpenPage page) {
    String version = version(page); // first, so that it is not newer than what is shown
    return edit(page, passport(page), version, Optional.empty());
  }

  /** Returns the passport's revision: a save is refused if the passport has another one then. */
  private String version(OpenPage page) {
    return AgentId.hosted(page.request().pathParam("agent_id"))
        .flatMap(passports::find)
        .map(passport -> Long.toString(passport.revision()))
        .orElse("");
  }

  private Response edit(
      OpenPage page, JsonObject passport, String version, Optional<Preview.View> shown) {
    page.demand("PATCH", "/api/passports/x");
    JsonObject schema = page.get("/api/schema/capabilities-limits");
    JsonObject limits = AnswerReader.object(passport, "limits");
    List<String> held =
        AnswerReader.objects(passport, "capabilities").stream()
            .map(c -> AnswerReader.text(c, "id"))
            .toList();
    var blocks = new ArrayList<Block>();
    for (JsonObject known : AnswerReader.objects(schema, "capabilities")) {
      String id = AnswerReader.text(known, "id");
      String container = known.string("limits_container").orElse(id);
      blocks.add(
          new Block(
              id,
              AnswerReader.text(known, "name"),
              AnswerReader.text(known, "description"),
              held.contains(id),
              SchemaForm.fields(
                  prefix(id),
                  AnswerReader.object(AnswerReader.object(schema, "limits"), id),
                  AnswerReader.object(limits, container))));
    }
    blocks.sort((one, other) -> Boolean.compare(other.held(), one.held()));
    return page.show(
        "console/passport-edit.jte",
        "Edit passport",
        shell ->
            new Edit(
                shell,
                LIST + "/" + Formats.url(AnswerReader.text(passport, "agent_id")),
                AnswerReader.text(passport, "name"),
                AnswerReader.text(passport, "description"),
                version,
                blocks,
                HooksForm.of(passport),
                shown));
  }

  private static String prefix(String capability) {
    return "limit:" + capability + ":";
  }

  /** Returns the passport as the form describes it. */
  private static JsonObject candidate(OpenPage page, JsonObject passport) {
    JsonObject schema = page.get("/api/schema/capabilities-limits");
    List<String> ticked = page.request().formFields("capability");
    var capabilities = new ArrayList<JsonValue>();
    var known = new ArrayList<String>();
    JsonObject.Builder limits =
        JsonObject.builder().putAll(AnswerReader.object(passport, "limits"));
    JsonObject before = AnswerReader.object(passport, "limits");
    for (JsonObject capability : AnswerReader.objects(schema, "capabilities")) {
      String id = AnswerReader.text(capability, "id");
      String container = capability.string("limits_container").orElse(id);
      known.add(id);
      JsonObject shape = AnswerReader.object(AnswerReader.object(schema, "limits"), id);
      JsonObject read = SchemaForm.read(prefix(id), shape, page::field);
      if (ticked.contains(id)) {
        capabilities.add(
            AnswerReader.objects(passport, "capabilities").stream()
                .filter(c -> AnswerReader.text(c, "id").equals(id))
                .findFirst()
                .orElseGet(() -> JsonObject.builder().put("id", id).build()));
      }
      if (!read.isEmpty() || before.has(container)) {
        // Members that the form does not know stay unchanged.
        JsonObject kept = AnswerReader.object(before, container);
        for (String name : AnswerReader.object(shape, "properties").names()) {
          kept = kept.without(name);
        }
        limits.put(container, kept.toBuilder().putAll(read).build());
      }
    }
    for (JsonObject held : AnswerReader.objects(passport, "capabilities")) {
      if (!known.contains(AnswerReader.text(held, "id"))) {
        capabilities.add(held);
      }
    }
    return HooksForm.read(page, passport)
        .with("capabilities", new JsonArray(capabilities))
        .with("limits", limits.build())
        .with("name", new JsonString(page.field("name").orElse("")))
        .with("description", new JsonString(page.field("description").orElse("")));
  }

  private Response save(OpenPage page) {
    String newest = version(page);
    String opened = page.field("version").orElse("");
    JsonObject passport = passport(page);
    JsonObject wanted;
    try {
      wanted = candidate(page, passport);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> edit(page, passport, opened, Optional.empty()));
    }
    if (page.field("do").orElse("").equals("preview")) {
      return edit(page, wanted, opened, Optional.of(preview.of(page, wanted)));
    }
    try {
      String id = AnswerReader.text(passport, "agent_id");
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
