package dev.safeconduct.audit.export;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records leave the service whole, and what left it can be checked without it. */
final class ExportTest {
  @TempDir Path folder;

  private Map<String, String> settings(EachStore store) {
    var settings = new HashMap<String, String>();
    settings.put("DATA_DIR", folder.resolve("data").toString());
    if (store == EachStore.POSTGRES) {
      settings.putAll(EachStore.POSTGRES.settings());
    }
    return settings;
  }

  private static TestService started(Map<String, String> settings) {
    return TestService.start(Path.of(settings.getOrDefault("DATA_DIR", "")), settings);
  }

  private Path written(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  @ParameterizedTest
  @EnumSource
  void anExportGoesOnAndIsSigned(EachStore store) throws Exception {
    Map<String, String> settings = settings(store);
    try (TestService service = started(settings)) {
      String agent = Questions.hosted(service, 5);
      for (int i = 0; i < 7; i++) {
        service.owner().post(COMMAND, Questions.command(agent, "ls " + i));
      }
      Path keys = written("jwks.json", service.nobody().get("/jwks.json").text());
      for (String format : List.of("ndjson", "csv")) {
        Path out = folder.resolve("all." + format);
        String[] export = {"--out", out.toString(), "--format", format, "--org", service.org()};
        CommandRun first = CommandRun.export(settings, export);
        assertThat(first.status()).as(first.err()).isZero();
        String whole = Files.readString(out);
        String manifest = Files.readString(folder.resolve("all." + format + ".manifest"));
        assertThat(whole).contains("ls 6");
        assertThat(CommandRun.export(settings, export).status())
            .as("it is there already")
            .isEqualTo(2);
        // As the service itself streams it.
        Reply streamed = service.owner().get("/api/audit/export?format=" + format);
        assertThat(streamed.text()).isEqualTo(whole);

        // Broken off in the middle of a line; the same command finishes it.
        Files.delete(out);
        Path part = folder.resolve("all." + format + ".part");
        Path inTheWay = folder.resolve("all." + format + ".manifest");
        Files.delete(inTheWay);
        Files.createDirectory(inTheWay);
        assertThat(CommandRun.export(settings, export).status()).isEqualTo(2);
        Files.delete(inTheWay);
        Files.writeString(part, whole.substring(0, whole.length() / 2));
        // Another selection would be signed for what is not in the file.
        List<String> other = new ArrayList<>(List.of(export));
        other.addAll(List.of("--kind", "decision"));
        CommandRun refused = CommandRun.export(settings, other.toArray(String[]::new));
        assertThat(refused.status()).as(refused.err()).isEqualTo(2);
        assertThat(CommandRun.export(settings, export).status()).isZero();
        assertThat(part).doesNotExist();
        assertThat(folder.resolve(part.getFileName() + ".json")).doesNotExist();
        assertThat(Files.readString(out)).isEqualTo(whole);
        assertThat(Files.readString(folder.resolve("all." + format + ".manifest")))
            .isEqualTo(manifest);

        Path signed = folder.resolve("all." + format + ".manifest");
        assertThat(CommandRun.verifyReceipt(signed, keys).status()).isZero();
        Files.writeString(out, whole.replace("ls 6", "ls 7"));
        assertThat(CommandRun.verifyReceipt(signed, keys).status()).isEqualTo(1);
        Files.writeString(out, whole);
        Files.writeString(signed, manifest.replace("records ", "records 1"));
        assertThat(CommandRun.verifyReceipt(signed, keys).status()).isEqualTo(1);
      }
    }
  }

  @Test
  void aStreamIsOfOneOrganizationAndGoesOnBehindAPlace() {
    try (TestService service = EachStore.SQLITE.start(Map.of(), java.time.InstantSource.system())) {
      String agent = Questions.hosted(service, 5);
      Questions.Tenant other = Questions.Tenant.made(service, "Other", "'read_audit'");
      service.owner().post(COMMAND, Questions.command(agent, "ls"));
      service.owner().post(COMMAND, Questions.command(agent, "=ls"));
      Reply theirs = service.withKey(other.key()).get("/api/audit/export");
      assertThat(theirs.text().lines()).allSatisfy(line -> assertThat(line).contains(other.org()));
      List<String> mine =
          service.owner().get("/api/audit/export?kind=decision").text().lines().toList();
      assertThat(mine).hasSize(2);
      long place = Questions.number(object(mine.getFirst()), "log_index");
      Reply rest = service.owner().get("/api/audit/export?kind=decision&cursor=" + place);
      assertThat(rest.text().lines().toList()).isEqualTo(mine.subList(1, 2));
      assertThat(service.owner().get("/api/audit/export?format=xml").status()).isEqualTo(400);
    }
  }

  private static JsonObject object(String json) {
    try {
      return Json.parseObject(json.getBytes(StandardCharsets.UTF_8));
    } catch (dev.safeconduct.json.JsonFault e) {
      throw new AssertionError(json, e);
    }
  }

  /** Decisions as answered and as read, records, proofs in both forms; and each of them altered. */
  @Test
  void receiptsAreCheckedOffline() throws Exception {
    Map<String, String> settings = settings(EachStore.SQLITE);
    try (TestService service = started(settings)) {
      String agent = Questions.hosted(service, 5);
      Reply answered =
          service.owner().post(COMMAND + "?proof=true", Questions.command(agent, "git status"));
      String id = answered.string("decision_id");
      Path keys = written("jwks.json", service.nobody().get("/jwks.json").text());
      Path answer = written("answer.json", answered.text());
      Path got = written("got.json", service.owner().get("/api/decisions/" + id).text());
      String recorded = service.owner().get("/api/audit/" + id).text();
      Path record = written("record.json", recorded);
      Path proof = written("proof.json", service.owner().get("/api/audit/" + id + "/proof").text());
      String all = "ok: the record is number";
      assertThat(receipt(keys, answer).out()).contains("ok: the decision", "not checked: that it");
      assertThat(receipt(keys, got).status()).isZero();
      assertThat(receipt(keys, record).status()).isZero();
      assertThat(receipt(keys, answer, "--record", record.toString()).out()).contains(all);
      assertThat(receipt(keys, record, "--proof", proof.toString()).out()).contains(all);
      Path alone = written("alone.txt", answered.string("proof"));
      assertThat(receipt(keys, record, "--proof", alone.toString()).out()).contains(all);

      for (String[] change :
          new String[][] {
            {"\"allow\":true", "\"allow\":false"}, {"git status", "git push --force"}
          }) {
        Path altered = written("altered.json", recorded.replace(change[0], change[1]));
        assertThat(receipt(keys, altered, "--proof", proof.toString()).status())
            .as(change[1])
            .isEqualTo(1);
      }
      Path others =
          written("others.json", answered.text().replaceAll("decision-[0-9a-f]", "checkpoint-0"));
      assertThat(receipt(keys, others).status()).isEqualTo(1);
      Path none = written("none.json", "[]");
      assertThat(receipt(keys, none).status()).isEqualTo(2);
      assertThat(receipt(none, answer).status()).isEqualTo(2);
    }
  }

  /** Nothing that is shown is passed over in silence: it is checked, or said not to be. */
  @Test
  void whatNoSignatureCoversIsComparedOrNamed() throws Exception {
    Map<String, String> settings = settings(EachStore.SQLITE);
    try (TestService service = started(settings)) {
      String agent = Questions.hosted(service, 5);
      Reply answered = service.owner().post(COMMAND, Questions.command(agent, "git status"));
      String id = answered.string("decision_id");
      Path keys = written("jwks.json", service.nobody().get("/jwks.json").text());
      Path answer = written("answer.json", answered.text());
      assertThat(receipt(keys, answer).status()).isZero();
      assertThat(receipt(keys, answer).out())
          .contains("ok: what stands beside")
          .contains("not checked: reason, request_id, policy, passport, log_index;");
      JsonObject record = service.owner().get("/api/audit/" + id).json();
      Path whole = written("record.json", Json.text(record));
      Path proof = written("proof.json", service.owner().get("/api/audit/" + id + "/proof").text());
      String open = "not checked: log_index, details, salt; only the log covers";
      assertThat(receipt(keys, whole).out()).contains("ok: the record says", open);
      assertThat(receipt(keys, answer, "--record", whole.toString()).out()).contains(open);
      assertThat(receipt(keys, whole, "--proof", proof.toString()).out())
          .doesNotContain("not checked");

      for (String falsified : List.of("allow", "verified", "agent_id", "reasons", "signature")) {
        JsonObject other = answered.json().with(falsified, new JsonString("another"));
        Path altered = written("altered.json", Json.text(other));
        assertThat(receipt(keys, altered).status()).as(falsified).isEqualTo(1);
        assertThat(receipt(keys, altered).out()).contains("(" + falsified + ")");
      }
      for (String falsified :
          List.of("record_id", "org_id", "at", "agent_id", "policy_id", "allow", "code")) {
        Path altered =
            written("altered.json", Json.text(record.with(falsified, new JsonString("another"))));
        assertThat(receipt(keys, altered).status()).as(falsified).isEqualTo(1);
        assertThat(receipt(keys, answer, "--record", altered.toString()).status()).isEqualTo(1);
      }
    }
  }

  private static CommandRun receipt(Path keys, Path file, String... more) {
    CommandRun run = CommandRun.verifyReceipt(file, keys, more);
    assertThat(run.status()).as(run.out()).isBetween(0, 2);
    return run;
  }
}
