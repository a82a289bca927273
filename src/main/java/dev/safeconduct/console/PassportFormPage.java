package dev.safeconduct.console;

import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Making a passport from a preset, and editing what it allows, with a look at what would change.
 */
public final class PassportFormPage {
  private static final String LIST = "/console/passports";
  private static final String PRESETS = "/api/public/framework-passport-presets";

  private final DoorPage door;
  private final Preview preview;

  PassportFormPage(DoorPage door, Preview preview) {
    this.door = door;
    this.preview = preview;
  }

  List<Route> routes() {
    return List.of(
        door.page(LIST + "/new", this::fresh),
        door.form(LIST + "/new", this::create),
        door.page(LIST + "/{agent_id}/edit", page -> edit(page, passport(page), Optional.empty())),
        door.form(LIST + "/{agent_id}/edit", this::save));
  }

  /** The form for a new one; {@code console/passport-new.jte}. */
  public record Fresh(
      Shell shell, List<Preset> presets, String chosen, String name, String description) {
    public Fresh {
      presets = List.copyOf(presets);
    }
  }

  /** A preset to choose. */
  public record Preset(String id, String name, String description, String abilities) {}

  private Response fresh(OpenPage page) {
    page.demand("POST", "/api/passports");
    List<Preset> presets =
        Read.objects(page.get(PRESETS), "presets").stream()
            .map(preset ->
                new Preset(
                    Read.text(preset, "id"),
                    Read.text(preset, "name"),
                    Read.text(preset, "description"),
                    String.join(
                        ", ",
                        Read.objects(preset, "capabilities").stream()
                            .map(capability -> Read.text(capability, "id"))
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
      JsonObject preset = Read.object(page.get(PRESETS + "/" + Show.url(chosen)), "data");
      JsonObject.Builder body = JsonObject.builder();
      for (String name :
          List.of(
              "role",
              "description",
              "capabilities",
              "limits",
              "regions",
              "framework",
              "categories")) {
        JsonValue value = preset.get(name);
        if (value != null) {
          body.put(name, value);
        }
      }
      body.put("name", page.field("name").orElse(""));
      page.field("description").ifPresent(text -> body.put("description", text));
      JsonObject made = page.send("POST", "/api/passports", body.build());
      return OpenPage.done(LIST + "/" + Show.url(Read.text(made, "agent_id")), Done.CREATED);
    } catch (ProblemException e) {
      return page.failed(e.problem(), () -> fresh(page));
    }
  }

  /** The editor; {@code console/passport-edit.jte}. */
  public record Edit(
      Shell shell,
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
    return page.get("/api/passports/" + Show.url(page.request().pathParam("agent_id")));
  }

  private Response edit(OpenPage page, JsonObject passport, Optional<Preview.View> shown) {
    page.demand("PATCH", "/api/passports/x");
    JsonObject schema = page.get("/api/schema/capabilities-limits");
    JsonObject limits = Read.object(passport, "limits");
    List<String> held =
        Read.objects(passport, "capabilities").stream().map(c -> Read.text(c, "id")).toList();
    var blocks = new ArrayList<Block>();
    for (JsonObject known : Read.objects(schema, "capabilities")) {
      String id = Read.text(known, "id");
      String container = known.string("limits_container").orElse(id);
      blocks.add(
          new Block(
              id,
              Read.text(known, "name"),
              Read.text(known, "description"),
              held.contains(id),
              SchemaForm.fields(
                  prefix(id),
                  Read.object(Read.object(schema, "limits"), id),
                  Read.object(limits, container))));
    }
    blocks.sort((one, other) -> Boolean.compare(other.held(), one.held()));
    return page.show(
        "console/passport-edit.jte",
        "Edit limits",
        shell ->
            new Edit(
                shell,
                LIST + "/" + Show.url(Read.text(passport, "agent_id")),
                Read.text(passport, "name"),
                Read.text(passport, "description"),
                Read.text(passport, "updated_at"),
                blocks,
                shown));
  }

  private static String prefix(String capability) {
    return "limit:" + capability + ":";
  }

  /** The passport as the form has it. */
  private static JsonObject candidate(OpenPage page, JsonObject passport) {
    JsonObject schema = page.get("/api/schema/capabilities-limits");
    List<String> ticked = page.request().formFields("capability");
    var capabilities = new ArrayList<JsonValue>();
    var known = new ArrayList<String>();
    JsonObject.Builder limits = JsonObject.builder().putAll(Read.object(passport, "limits"));
    JsonObject before = Read.object(passport, "limits");
    for (JsonObject capability : Read.objects(schema, "capabilities")) {
      String id = Read.text(capability, "id");
      String container = capability.string("limits_container").orElse(id);
      known.add(id);
      JsonObject shape = Read.object(Read.object(schema, "limits"), id);
      JsonObject read = SchemaForm.read(prefix(id), shape, page::field);
      if (ticked.contains(id)) {
        capabilities.add(
            Read.objects(passport, "capabilities").stream()
                .filter(c -> Read.text(c, "id").equals(id))
                .findFirst()
                .orElseGet(() -> JsonObject.builder().put("id", id).build()));
      }
      if (!read.isEmpty() || before.has(container)) {
        // What the form does not know stays as it is.
        JsonObject kept = Read.object(before, container);
        for (String name : Read.object(shape, "properties").names()) {
          kept = kept.without(name);
        }
        limits.put(container, kept.toBuilder().putAll(read).build());
      }
    }
    for (JsonObject held : Read.objects(passport, "capabilities")) {
      if (!known.contains(Read.text(held, "id"))) {
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
      if (!page.field("version").orElse("").equals(Read.text(passport, "updated_at"))) {
        throw new Problem.Conflict(
                "Somebody has changed this passport since you opened it. Look at theirs, then save"
                    + " yours again.",
                "stale")
            .toException();
      }
      JsonObject.Builder body = JsonObject.builder();
      for (String name : List.of("name", "description", "capabilities", "limits")) {
        JsonValue value = wanted.get(name);
        if (value != null) {
          body.put(name, value);
        }
      }
      String id = Read.text(passport, "agent_id");
      page.send("PATCH", "/api/passports/" + Show.url(id), body.build());
      return OpenPage.done(LIST + "/" + Show.url(id), Done.SAVED);
    } catch (ProblemException e) {
      JsonObject again =
          wanted.with("updated_at", new JsonString(Read.text(passport, "updated_at")));
      return page.failed(e.problem(), () -> edit(page, again, Optional.empty()));
    }
  }
}
