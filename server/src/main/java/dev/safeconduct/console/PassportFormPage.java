package dev.safeconduct.console;

import dev.safeconduct.console.view.AnswerReader;
import dev.safeconduct.console.view.FlashMessage;
import dev.safeconduct.console.view.Formats;
import dev.safeconduct.console.view.Layout;
import dev.safeconduct.console.view.SchemaForm;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Creating a passport from a preset, and editing its limits, with a preview of the effect. */
public final class PassportFormPage {
  private static final String LIST = "/console/passports";
  private static final String PRESETS = "/api/public/framework-passport-presets";

  private final SignInPage signIn;
  private final Preview preview;

  PassportFormPage(SignInPage signIn, Preview preview) {
    this.signIn = signIn;
    this.preview = preview;
  }

  List<Route> routes() {
    return List.of(
        signIn.page(LIST + "/new", this::fresh),
        signIn.form(LIST + "/new", this::create),
        signIn.page(
            LIST + "/{agent_id}/edit", page -> edit(page, passport(page), Optional.empty())),
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

  private Response edit(OpenPage page, JsonObject passport, Optional<Preview.View> shown) {
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
                AnswerReader.text(passport, "modified_at"),
                blocks,
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
    return passport
        .with("capabilities", new JsonArray(capabilities))
        .with("limits", limits.build())
        .with("name", new JsonString(page.field("name").orElse("")))
        .with("description", new JsonString(page.field("description").orElse("")));
  }

  private Response save(OpenPage page) {
    JsonObject passport = passport(page);
    JsonObject wanted;
    try {
      wanted = candidate(page, passport);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> edit(page, passport, Optional.empty()));
    }
    if (page.field("do").orElse("").equals("preview")) {
      return edit(page, wanted, Optional.of(preview.of(page, wanted)));
    }
    try {
      if (!page.field("version").orElse("").equals(AnswerReader.text(passport, "modified_at"))) {
        throw new Problem.Conflict(
                "This passport was changed after you opened it. Review the change, then save yours"
                    + " again.",
                "stale")
            .toException();
      }
      JsonObject body = wanted.only(List.of("name", "description", "capabilities", "limits"));
      String id = AnswerReader.text(passport, "agent_id");
      page.send("PATCH", "/api/passports/" + Formats.url(id), body);
      return OpenPage.done(LIST + "/" + Formats.url(id), FlashMessage.SAVED);
    } catch (ProblemException e) {
      JsonObject again =
          wanted.with("modified_at", new JsonString(AnswerReader.text(passport, "modified_at")));
      return page.failed(e.problem(), () -> edit(page, again, Optional.empty()));
    }
  }
}
