package dev.safeconduct;

import static dev.safeconduct.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.config.Env;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Reply;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

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

  /** What the command said, and with which status it ended. */
  private record Said(int status, String text) {}

  /** The command with these settings. */
  private static Said command(Map<String, String> settings, String... args) {
    var text = new StringWriter();
    CommandLine command =
        args[0].equals("audit")
            ? new CommandLine(new ExportCommand(() -> new Env(settings)))
            : new CommandLine(new VerifyReceiptCommand(() -> new PrintWriter(text)));
    int names = args[0].equals("audit") ? 2 : 1;
    int status = command.execute(Arrays.copyOfRange(args, names, args.length));
    return new Said(status, text.toString());
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
        String[] export = {
          "audit", "export", "--out", out.toString(), "--format", format, "--org", service.org()
        };
        Said first = command(settings, export);
        assertThat(first.status()).as(first.text()).isZero();
        String whole = Files.readString(out);
        String manifest = Files.readString(folder.resolve("all." + format + ".manifest"));
        assertThat(whole).contains("ls 6");
        assertThat(command(settings, export).status()).as("it is there already").isEqualTo(2);
        // As the service itself streams it.
        Reply streamed = service.owner().get("/api/audit/export?format=" + format);
        assertThat(streamed.text()).isEqualTo(whole);

        // Broken off in the middle of a line; the same command finishes it.
        Files.delete(out);
        Path part = folder.resolve("all." + format + ".part");
        Path inTheWay = folder.resolve("all." + format + ".manifest");
        Files.delete(inTheWay);
        Files.createDirectory(inTheWay);
        assertThat(command(settings, export).status()).isEqualTo(2);
        Files.delete(inTheWay);
        Files.writeString(part, whole.substring(0, whole.length() / 2));
        // Another selection would be signed for what is not in the file.
        List<String> other = new ArrayList<>(List.of(export));
        other.addAll(List.of("--kind", "decision"));
        Said refused = command(settings, other.toArray(String[]::new));
        assertThat(refused.status()).as(refused.text()).isEqualTo(2);
        assertThat(command(settings, export).status()).isZero();
        assertThat(part).doesNotExist();
        assertThat(folder.resolve(part.getFileName() + ".json")).doesNotExist();
        assertThat(Files.readString(out)).isEqualTo(whole);
        assertThat(Files.readString(folder.resolve("all." + format + ".manifest")))
            .isEqualTo(manifest);

        Path signed = folder.resolve("all." + format + ".manifest");
        String[] check = {"verify-receipt", signed.toString(), "--keys", keys.toString()};
        assertThat(command(settings, check).status()).isZero();
        Files.writeString(out, whole.replace("ls 6", "ls 7"));
        assertThat(command(settings, check).status()).isEqualTo(1);
        Files.writeString(out, whole);
        Files.writeString(signed, manifest.replace("records ", "records 1"));
        assertThat(command(settings, check).status()).isEqualTo(1);
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
      assertThat(receipt(keys, answer).text()).contains("ok: the decision", "not checked: that it");
      assertThat(receipt(keys, got).status()).isZero();
      assertThat(receipt(keys, record).status()).isZero();
      assertThat(receipt(keys, answer, "--record", record.toString()).text()).contains(all);
      assertThat(receipt(keys, record, "--proof", proof.toString()).text()).contains(all);
      Path alone = written("alone.txt", answered.string("proof"));
      assertThat(receipt(keys, record, "--proof", alone.toString()).text()).contains(all);

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
      assertThat(receipt(keys, answer).text())
          .contains("ok: what stands beside")
          .contains("not checked: reason, request_id, policy, passport, log_index;");
      JsonObject record = service.owner().get("/api/audit/" + id).json();
      Path whole = written("record.json", Json.text(record));
      Path proof = written("proof.json", service.owner().get("/api/audit/" + id + "/proof").text());
      String open = "not checked: log_index, details, salt; only the log covers";
      assertThat(receipt(keys, whole).text()).contains("ok: the record says", open);
      assertThat(receipt(keys, answer, "--record", whole.toString()).text()).contains(open);
      assertThat(receipt(keys, whole, "--proof", proof.toString()).text())
          .doesNotContain("not checked");

      for (String falsified : List.of("allow", "verified", "agent_id", "reasons", "signature")) {
        JsonObject other = answered.json().with(falsified, new JsonString("another"));
        Path altered = written("altered.json", Json.text(other));
        assertThat(receipt(keys, altered).status()).as(falsified).isEqualTo(1);
        assertThat(receipt(keys, altered).text()).contains("(" + falsified + ")");
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

  private static Said receipt(Path keys, Path file, String... more) {
    var args = new ArrayList<String>();
    args.addAll(List.of("verify-receipt", file.toString(), "--keys", keys.toString()));
    args.addAll(Arrays.asList(more));
    Said said = command(Map.of(), args.toArray(String[]::new));
    assertThat(said.status()).as(said.text()).isBetween(0, 2);
    return said;
  }
}
