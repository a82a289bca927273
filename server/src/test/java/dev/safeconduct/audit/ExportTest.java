package dev.safeconduct.audit;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.config.OwnerOnly;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.tlog.CompactRange;
import dev.safeconduct.tlog.Tile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records leave the service whole, and what left it can be checked without it. */
@Tag("slow")
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
        for (Path file : List.of(out, folder.resolve("all." + format + ".manifest"))) {
          assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
              .isEqualTo("rw-------");
        }
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
        try (FileChannel other =
            OwnerOnly.alone(folder.resolve(part.getFileName() + ".json")).orElseThrow()) {
          CommandRun second = CommandRun.export(settings, export);
          assertThat(second.status()).isEqualTo(2);
          assertThat(second.err()).contains("another process exports to " + out + " now");
          assertThat(other.size()).isPositive();
        }
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
        for (String more : List.of("--proof", "--record")) {
          assertThat(CommandRun.verifyReceipt(signed, keys, more, out.toString()).status())
              .as("a file that says nothing about a manifest: " + more)
              .isEqualTo(1);
        }
        Path none = Files.writeString(folder.resolve("none.json"), "{\"id\": 1}");
        CommandRun nothing = CommandRun.verifyReceipt(none, keys);
        assertThat(nothing.status()).isEqualTo(1);
        assertThat(nothing.out()).contains("hold: the file is a decision").doesNotContain("?");
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

  /** A deleted organization keeps its records; a mistyped one is not an export without records. */
  @ParameterizedTest
  @EnumSource
  void onlyAnOrganizationOfTheLogIsExported(EachStore store) throws Exception {
    Map<String, String> settings = settings(store);
    try (TestService service = started(settings)) {
      String org = service.admin().post("/api/orgs", "{\"name\": \"Past\"}").string("org_id");
      assertThat(service.admin().delete("/api/orgs/" + org + "?confirm=Past&reason=test").status())
          .isEqualTo(200);
      Path out = folder.resolve("past.ndjson");
      CommandRun past = CommandRun.export(settings, "--out", out.toString(), "--org", org);
      assertThat(past.status()).as(past.err()).isZero();
      assertThat(Files.readString(out)).contains(org);

      Path never = folder.resolve("never.ndjson");
      assertThat(CommandRun.export(settings, "--out=" + never, "--org=" + org + "0").status())
          .isEqualTo(2);
      String[] backwards = {
        "--out=" + never, "--from=2026-11-02T00:00:00Z", "--to=2026-11-01T00:00:00Z"
      };
      assertThat(CommandRun.export(settings, backwards).status()).isEqualTo(2);
      assertThat(folder).isDirectoryNotContaining("glob:**never*");
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
      assertThat(receipt(keys, answer).status())
          .as("its own proof proves nothing yet")
          .isEqualTo(1);
      assertThat(receipt(keys, answer, "--record", record.toString()).status()).isZero();
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
      String signed = service.owner().get("/api/decisions/" + id).text();
      Path unnamed = written("unnamed.json", signed.replaceAll("\"kid\":\"[^\"]*\",", ""));
      assertThat(receipt(keys, unnamed).out())
          .contains("FAULT, this does not hold: the decision " + id + " names the key that signed");
      String signer = answered.string("kid");
      service
          .admin()
          .post("/api/admin/signing-keys/" + signer + "/revoke", "{\"reason\": \"a test\"}");
      Path later = written("later.json", service.nobody().get("/jwks.json").text());
      assertThat(receipt(later, got).status()).isEqualTo(1);
      assertThat(receipt(later, got).out())
          .contains(
              "this does not hold: the key set, which lacks revoked keys, has the key " + signer);
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

  /**
   * Somebody forges what is not signed, and leaves out what would tell: the salt, the proof's leaf,
   * the kind. Each change is a line of the file.
   */
  @Test
  @Tag("attack")
  void nothingForgedIsShownAsVerified() throws Exception {
    Map<String, String> settings = settings(EachStore.SQLITE);
    try (TestService service = started(settings)) {
      String agent = Questions.hosted(service, 5);
      service.admin().post("/api/admin/signing-keys/rotate", "{\"purpose\":\"checkpoint\"}");
      String decision =
          service.owner().post(COMMAND, Questions.command(agent, "ls")).string("decision_id");
      String change =
          object(
                  service
                      .owner()
                      .get("/api/audit?kind=config")
                      .json()
                      .array("records")
                      .orElseThrow())
              .string("record_id")
              .orElseThrow();
      Path keys = written("jwks.json", service.nobody().get("/jwks.json").text());
      for (JsonObject forgery : CaseFile.objects("forged-receipts.json")) {
        String name = forgery.string("name").orElseThrow();
        String id = forgery.string("of").orElseThrow().equals("decision") ? decision : change;
        JsonObject record = service.owner().get("/api/audit/" + id).json();
        JsonObject proof = service.owner().get("/api/audit/" + id + "/proof").json();
        Path file = written("record.json", Json.text(changed(record, forgery.object("record"))));
        Path proofFile = written("proof.json", Json.text(changed(proof, forgery.object("proof"))));
        CommandRun run =
            forgery.isTrue("without_proof")
                ? receipt(keys, file)
                : receipt(keys, file, "--proof", proofFile.toString());
        assertThat(run.status())
            .as(name + "\n" + run.out())
            .isEqualTo(forgery.isTrue("sound") ? 0 : 1);
        assertThat(run.out().contains("FAULT")).as(name).isEqualTo(!forgery.isTrue("sound"));
      }
      JsonObject proof = service.owner().get("/api/audit/" + decision + "/proof").json();
      Path record = written("record.json", service.owner().get("/api/audit/" + decision).text());
      String note = proof.string("checkpoint").orElseThrow();
      List<String> lines = note.lines().toList();
      assertThat(lines).hasSize(6);
      for (String line : lines.subList(4, 6)) {
        String bad = note.replace(line, line.substring(0, line.length() - 8) + "AAAAAAA=");
        Path altered =
            written("proof.json", Json.text(proof.with("checkpoint", new JsonString(bad))));
        assertThat(receipt(keys, record, "--proof", altered.toString()).status()).isEqualTo(1);
      }
    }
  }

  private static JsonObject object(JsonArray list) {
    return (JsonObject) list.get(0);
  }

  /** The members of the change replace those of the object; null removes one. */
  private static JsonObject changed(JsonObject object, Optional<JsonObject> change) {
    JsonObject result = object;
    JsonObject members = change.orElse(JsonObject.EMPTY);
    for (String name : members.names()) {
      JsonValue value = Objects.requireNonNull(members.get(name));
      result = value instanceof JsonNull ? result.without(name) : result.with(name, value);
    }
    return result;
  }

  /** An auditor who has the export alone finds the log's root, also when records were erased. */
  @ParameterizedTest
  @EnumSource
  void anExportWithErasedRecordsMakesTheRoot(EachStore store) throws Exception {
    Map<String, String> settings = settings(store);
    try (TestService service = started(settings)) {
      String agent = Questions.hosted(service, 5);
      for (int i = 0; i < 5; i++) {
        service.owner().post(COMMAND, Questions.command(agent, "ls " + i));
      }
      Reply erased = service.admin().delete("/api/audit?agent_id=" + agent + "&reason=test");
      assertThat(erased.status()).as(erased.toString()).isEqualTo(200);
      Path keys = written("jwks.json", service.nobody().get("/jwks.json").text());
      for (String format : List.of("ndjson", "csv")) {
        Path out = folder.resolve("all." + format);
        CommandRun run = CommandRun.export(settings, "--out", out.toString(), "--format", format);
        assertThat(run.status()).as(run.err()).isZero();
        Path manifest = folder.resolve("all." + format + ".manifest");
        CommandRun checked = receipt(keys, manifest);
        assertThat(checked.status()).as(checked.out()).isZero();
        assertThat(checked.out())
            .contains(
                format.equals("csv")
                    ? "not checked: the log's root"
                    : "ok: its records make the log's root");
        if (format.equals("csv")) {
          var tree = new CompactRange();
          Files.readAllLines(out).stream()
              .skip(1)
              .forEach(
                  line -> tree.append(HexFormat.of().parseHex(line.substring(line.length() - 64))));
          assertThat(Files.readString(manifest))
              .contains(
                  "tree " + tree.size() + " " + Base64.getEncoder().encodeToString(tree.root()));
        } else {
          assertThat(Files.readString(out)).contains("\"erased\":true,\"leaf_hash\":\"");
        }
      }
    }
  }

  /** Somebody who can write to the database removes a record; then the operator exports. */
  @ParameterizedTest
  @EnumSource
  void anExportThatLacksARecordIsFound(EachStore store) throws Exception {
    Map<String, String> settings = settings(store);
    try (TestService service = started(settings)) {
      String agent = Questions.hosted(service, 5);
      for (int i = 0; i < Tile.FULL; i++) {
        service.owner().post(COMMAND, Questions.command(agent, "ls"));
      }
      Path keys = written("jwks.json", service.nobody().get("/jwks.json").text());
      try (Connection database = store.connection(settings);
          Statement statement = database.createStatement()) {
        assertThat(statement.executeUpdate("DELETE FROM audit WHERE log_index = 100")).isOne();
        for (String format : List.of("ndjson", "csv")) {
          String out = folder.resolve("lacks." + format).toString();
          assertThat(CommandRun.export(settings, "--out", out, "--format", format).status())
              .isZero();
          CommandRun checked = receipt(keys, Path.of(out + ".manifest"));
          assertThat(checked.status()).as(checked.out()).isOne();
          assertThat(checked.out())
              .contains("FAULT, not valid: an export of the whole log has its ");
        }
        assertThat(statement.executeUpdate("DELETE FROM log_tile")).isPositive();
      }
      CommandRun broken =
          CommandRun.export(settings, "--out", folder.resolve("broken.ndjson").toString());
      assertThat(broken.status()).isEqualTo(2);
      assertThat(broken.err()).contains("The log cannot be exported: the log's tile 1/0 is short");
    }
  }

  /** What others hand over can be of any size and content: the checks end and say what is wrong. */
  @Test
  void filesOfOthersAreReadUpToABound() throws Exception {
    Map<String, String> settings = settings(EachStore.SQLITE);
    try (TestService service = started(settings)) {
      Path keys = written("jwks.json", service.nobody().get("/jwks.json").text());
      String decision = service.owner().post(COMMAND, Questions.command("ap_none", "ls")).text();
      Path file = written("decision.json", decision);
      Path huge = folder.resolve("huge");
      try (FileChannel sparse =
          FileChannel.open(huge, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        sparse.write(ByteBuffer.wrap(new byte[1]), 3L << 30);
      }
      Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xFF, '\n'});
      for (CommandRun run :
          List.of(
              receipt(keys, huge),
              receipt(huge, file),
              receipt(keys, file, "--proof", huge.toString()),
              receipt(keys, file, "--record", huge.toString()),
              CommandRun.auditVerify(settings, "--checkpoint", huge.toString()))) {
        assertThat(run.status()).as(run.out() + run.err()).isEqualTo(2);
      }
      assertThat(receipt(keys, binary).status()).isEqualTo(2);
      assertThat(CommandRun.auditVerify(settings, "--checkpoint", huge.toString()).err())
          .contains(huge + " is larger than 64 MiB");
      assertThat(CommandRun.auditVerify(settings, "--checkpoint", binary.toString()).err())
          .contains(binary + " is not UTF-8 text");

      Path out = folder.resolve("all.ndjson");
      assertThat(CommandRun.export(settings, "--out", out.toString()).status()).isZero();
      for (Path other : List.of(huge, binary)) {
        Files.move(other, out, StandardCopyOption.REPLACE_EXISTING);
        CommandRun run = receipt(keys, folder.resolve("all.ndjson.manifest"));
        assertThat(run.status()).as(run.out() + run.err()).isOne();
        assertThat(run.out()).endsWith("FAULT, not valid: " + out + " matches the manifest\n");
      }
    }
  }

  private static CommandRun receipt(Path keys, Path file, String... more) {
    CommandRun run = CommandRun.verifyReceipt(file, keys, more);
    assertThat(run.status()).as(run.out()).isBetween(0, 2);
    return run;
  }
}
