package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.RawJson;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The acceptance cases over HTTP, their passports sent along and hosted, on both stores. Passports
 * and contexts go out as they are written in the files, to the last digit.
 */
final class OpenVectorsTest {
  @AutoClose private static final TestService sqlite = TestService.start();

  @AutoClose
  private static final TestService postgres = TestService.start(EachStore.POSTGRES.settings());

  static Stream<Path> files() {
    try {
      URI folder = OpenVectorsTest.class.getResource("/vectors").toURI();
      try (Stream<Path> found = Files.list(Path.of(folder))) {
        return found.sorted().toList().stream();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void sentAlong(Path file) throws IOException {
    assertThat(failures(file, vector -> sent(sqlite.owner(), vector))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("files")
  void sentAlongOnPostgres(Path file) throws IOException {
    assertThat(failures(file, vector -> sent(postgres.owner(), vector))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("files")
  void hosted(Path file) throws IOException {
    var refused = new ArrayList<String>();
    assertThat(failures(file, vector -> hosted(vector, refused))).isEmpty();
    // Passports that no issuance would take, on purpose, are the lesser part.
    assertThat(refused).as("refused").hasSizeLessThan(Files.readAllLines(file).size() / 3);
  }

  /** One line of a file. */
  private record Vector(String name, String pack, String passport, List<Step> steps) {
    static Vector of(String line) {
      Map<String, String> members = RawJson.members(line);
      return new Vector(
          text(RawJson.member(members, "name")),
          text(RawJson.member(members, "pack")),
          RawJson.member(members, "passport"),
          RawJson.elements(RawJson.member(members, "steps")).stream().map(Step::of).toList());
    }
  }

  private record Step(String context, boolean allow, String code) {
    static Step of(String text) {
      Map<String, String> members = RawJson.members(text);
      return new Step(
          RawJson.member(members, "context"),
          RawJson.member(members, "allow").equals("true"),
          OpenVectorsTest.text(RawJson.member(members, "code")));
    }
  }

  private interface Run {
    List<String> failures(Vector vector);
  }

  private static List<String> failures(Path file, Run run) throws IOException {
    List<Vector> vectors = Files.readAllLines(file).stream().map(Vector::of).toList();
    assertThat(vectors).hasSizeGreaterThan(5);
    return vectors.stream().flatMap(vector -> run.failures(vector).stream()).toList();
  }

  private static List<String> sent(Calls calls, Vector vector) {
    var passport = new LinkedHashMap<String, String>();
    passport.put("agent_id", "\"" + Questions.freshAgent() + "\"");
    passport.put("kind", "\"template\"");
    passport.put("spec_version", "\"oap/1.0\"");
    passport.put("owner_id", "\"org_vectors\"");
    passport.put("created_at", "\"2026-01-01T00:00:00Z\"");
    passport.putAll(RawJson.members(vector.passport()));
    String written = RawJson.object(passport);
    return asked(
        calls, vector, step -> "{\"passport\":" + written + ",\"context\":" + step.context() + "}");
  }

  private static List<String> hosted(Vector vector, List<String> refused) {
    String agentId = Questions.freshAgent();
    var passport = new LinkedHashMap<String, String>();
    passport.put("agent_id", "\"" + agentId + "\"");
    passport.put("name", "\"Vector\"");
    passport.putAll(RawJson.members(vector.passport()));
    String status = text(RawJson.taken(passport, "status"));
    Reply made = sqlite.admin().post("/api/passports", RawJson.object(passport));
    if (made.status() == 400) {
      refused.add(vector.name() + ": " + made);
      return List.of();
    }
    assertThat(made.status()).as(vector.name() + made).isEqualTo(201);
    if (!status.equals("active")) {
      Questions.status(sqlite, agentId, status);
    }
    return asked(
        sqlite.owner(),
        vector,
        step -> "{\"agent_id\":\"" + agentId + "\",\"context\":" + step.context() + "}");
  }

  private interface Body {
    String of(Step step);
  }

  private static List<String> asked(Calls calls, Vector vector, Body body) {
    var failures = new ArrayList<String>();
    for (Step step : vector.steps()) {
      Reply reply = calls.post("/api/verify/policy/" + vector.pack(), body.of(step));
      String got =
          reply.status() == 200
              ? reply.json().isTrue("allow") + " " + Questions.code(reply)
              : reply.toString();
      if (!got.equals(step.allow() + " " + step.code())) {
        failures.add(vector.name() + " " + step.context() + ": " + got + ", not " + step.code());
      }
    }
    return failures;
  }

  private static String text(String quoted) {
    return quoted.substring(1, quoted.length() - 1);
  }
}
