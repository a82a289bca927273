package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.AttackTable;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.ServerProcess;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Replays the attacks under {@code cases/attacks}. Each file gets a service of its own. Each line
 * is a passport, the requests of one attack, and the answers that defeat it. {@code make attack}
 * runs the same lines against the packaged service.
 */
@Tag("attack")
@Tag("lines")
final class AttackTest {
  private static final Pattern KEY = Pattern.compile("sck_[A-Za-z0-9_]+");

  static Stream<String> files() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("server/src/test/resources/cases/attacks"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList().stream();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("files")
  void isDefeated(String file) throws Exception {
    List<JsonObject> attacks = CaseFile.objects("attacks/" + file);
    var faults = new ArrayList<String>();
    try (TestService service = TestService.start(settings(attacks))) {
      replay(attacks, service.nobody(), service.key(), faults);
    }
    assertThat(faults).isEmpty();
  }

  /** The settings of the service, if the first line has any. */
  private static Map<String, String> settings(List<JsonObject> attacks) {
    var settings = new HashMap<String, String>();
    attacks
        .getFirst()
        .object("settings")
        .ifPresent(
            own -> own.forEach((name, value) -> settings.put(name, ((JsonString) value).value())));
    return settings;
  }

  private static void replay(
      List<JsonObject> attacks, Calls nobody, String rootKey, List<String> faults) {
    for (JsonObject attack : attacks) {
      if (attack.has("settings")) {
        continue;
      }
      String name = attack.string("name").orElseThrow();
      List<String> found = new Attack(nobody, rootKey).replay(attack);
      if (ServerProcess.isPackaged()) {
        AttackTable.line(found.isEmpty(), true, name);
      }
      found.forEach(fault -> faults.add(name + ": " + fault));
    }
  }

  /** One attack: the values that its requests may use, and its answers compared. */
  private static final class Attack {
    private static final String ADMIN = "Bearer " + TestService.ADMIN_TOKEN;

    private final Calls nobody;
    private final Map<String, String> values = new HashMap<>();

    Attack(Calls nobody, String rootKey) {
      this.nobody = nobody;
      values.put("root", rootKey);
    }

    List<String> replay(JsonObject attack) {
      attack.object("passport").ifPresent(this::host);
      var faults = new ArrayList<String>();
      JsonArray steps = attack.array("steps").orElseThrow();
      for (int i = 0; i < steps.size(); i++) {
        var step = (JsonObject) steps.get(i);
        Reply reply = send(step);
        for (String fault : faults(step, reply)) {
          faults.add("step " + (i + 1) + ": " + fault);
        }
        step.object("save")
            .ifPresent(save ->
                save.forEach(
                    (name, pointer) -> values.put(name, text(at(reply.value(), pointer)))));
      }
      return faults;
    }

    private void host(JsonObject given) {
      Calls root = nobody.with("X-API-Key", Objects.requireNonNull(values.get("root")));
      String org = root.post("/api/passports", "{\"name\": \"First\"}").string("owner_id");
      JsonObject.Builder passport = JsonObject.builder().put("name", "Agent");
      passport.put("status", "active");
      given.without("name").without("status").forEach(passport::put);
      Reply reply =
          nobody
              .with("Authorization", ADMIN)
              .post("/api/passports?org_id=" + org, passport.build());
      assertThat(reply.status()).as(reply.toString()).isEqualTo(201);
      String agent = reply.string("agent_id");
      values.put("org", org);
      values.put("agent", agent);
      Reply setup = root.post("/api/passports/" + agent + "/setup-key", "{}");
      assertThat(setup.status()).as(setup.toString()).isEqualTo(201);
      Matcher key = KEY.matcher(setup.text());
      assertThat(key.find()).as(setup.toString()).isTrue();
      values.put("setup", key.group());
    }

    private Reply send(JsonObject step) {
      JsonValue body = step.present("body");
      Calls calls = caller(step.string("as").orElse("root"));
      for (String header : step.object("headers").orElse(JsonObject.EMPTY).names()) {
        String value = step.object("headers").orElseThrow().string(header).orElseThrow();
        calls = calls.with(header, filled(value));
      }
      return calls.send(
          step.string("method").orElse("POST"),
          filled(step.string("path").orElseThrow()),
          filled(body == null ? step.string("raw").orElse("") : Json.text(body)));
    }

    private Calls caller(String as) {
      return switch (as) {
        case "none" -> nobody;
        case "admin" -> nobody.with("Authorization", ADMIN);
        case "root", "setup" ->
            nobody.with("X-API-Key", Objects.requireNonNull(values.get(as), as));
        default ->
            nobody.with("Authorization", "Bearer " + filled(as.replaceFirst("^bearer:", "")));
      };
    }

    private String filled(String text) {
      String filled = text;
      for (Map.Entry<String, String> value : values.entrySet()) {
        filled = filled.replace("{" + value.getKey() + "}", value.getValue());
      }
      return filled;
    }

    private List<String> faults(JsonObject step, Reply reply) {
      var faults = new ArrayList<String>();
      if (step.present("status") instanceof JsonNumber wanted && wanted.value() != reply.status()) {
        faults.add("status " + reply + " instead of " + wanted);
      }
      step.array("absent_text")
          .ifPresent(texts ->
              texts
                  .strings()
                  .filter(text -> reply.text().contains(filled(text)))
                  .forEach(text -> faults.add("the answer has " + text + ": " + reply)));
      step.object("expect")
          .ifPresent(expected ->
              expected.forEach((pointer, wanted) -> {
                JsonValue found = at(reply.value(), new JsonString(pointer));
                if (!isAs(wanted, found)) {
                  faults.add(pointer + " is " + found + " in " + reply);
                }
              }));
      return faults;
    }

    private boolean isAs(JsonValue wanted, @Nullable JsonValue found) {
      return switch (wanted) {
        case JsonObject object when object.isTrue("absent") -> found == null;
        case JsonString(String text) -> new JsonString(filled(text)).equals(found);
        default -> wanted.equals(found);
      };
    }

    /** Returns the value at a JSON pointer (RFC 6901, without escapes); null when there is none. */
    private static @Nullable JsonValue at(JsonValue whole, JsonValue pointer) {
      JsonValue value = whole;
      for (String part : ((JsonString) pointer).value().substring(1).split("/", -1)) {
        value =
            switch (value) {
              case JsonObject object -> object.get(part);
              case JsonArray array when Integer.parseInt(part) < array.size() ->
                  array.get(Integer.parseInt(part));
              case null, default -> null;
            };
      }
      return value;
    }

    private static String text(@Nullable JsonValue value) {
      return value instanceof JsonString(String text)
          ? text
          : Json.text(Objects.requireNonNull(value));
    }
  }
}
