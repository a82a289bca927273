package dev.safeconduct.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import dev.safeconduct.cli.CommandRun;
import dev.safeconduct.config.YamlDocuments;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files are checked without a server, and the published schema describes them. */
final class DeployFilesTest {
  @AutoClose private static final TestService service = TestService.start();
  @TempDir private static Path folder;

  /** The schema and the files agree; validate is stricter. */
  @Test
  void theSchemaFitsTheFiles() throws IOException, JsonFault {
    String served = service.nobody().get("/api/schema/resources").text();
    var schema = SchemaRegistry.withDefaultDialect(Dialects.getDraft202012()).getSchema(served);
    Path example = Path.of("examples/policy-as-code/agents/support.yaml");
    Matcher documented =
        Pattern.compile("```yaml\n(kind:.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("docs/policy-as-code.md")));
    assertThat(documented.find()).isTrue();
    for (String text : List.of(Files.readString(example), documented.group(1))) {
      for (YamlDocuments.Document each : YamlDocuments.read(text)) {
        assertThat(schema.validate(Json.text(each.value()), InputFormat.JSON)).isEmpty();
      }
    }
    for (String bad :
        List.of(
            "{kind: Preset, name: a}",
            "{kind: Passport, name: a}",
            "{kind: Webhook, url: 'https://x.example', secret: abc}",
            "{kind: Retention, days: 0}",
            "{kind: Feed, name: weather, values: {}}")) {
      String json = Json.text(YamlDocuments.read(bad).getFirst().value());
      assertThat(schema.validate(json, InputFormat.JSON)).as(bad).isNotEmpty();
    }
    assertThat(CommandRun.safeconduct("validate", "-f", example.toString()).out())
        .contains("4 objects, 0 faults");
    String faulty = Files.writeString(folder.resolve("one.yaml"), "kind: Weather\n").toString();
    assertThat(CommandRun.safeconduct("validate", "-f", faulty).out())
        .contains("1 object, 1 fault")
        .doesNotContain("objects", "faults");
  }

  /** A file that somebody proposes cannot write to the terminal of the person who checks it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "kind: Passport\nslug: a\nname: A\n\"x\\e[31m\\e]0;owned\\a\": 1\n",
        "kind: Passport\n\"x\\e[31m\": 1\n\"x\\e[31m\": 1\n",
        "kind: \"x\\e[31m\"\n",
        "kind: Pack\ndocument: {id: x}\ncases: [{name: \"x\\e[31m\", \"y\\e[31m\": 1}]\n",
        "kind: Pack\ndocument: {id: x}\ncases: [{name: \"x\\e[31m\", context: {}}]\n",
        "kind: Pack\ndocument: {id: \"x\\e[31m\", \"\\e[31m\": 1}\n"
      })
  void noControlCharacterReachesTheTerminal(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("bad.yaml"), text);
    for (String command : List.of("validate", "test")) {
      CommandRun said = CommandRun.safeconduct(command, "-f", file.toString());
      assertThat(said.out() + said.err()).as(said.toString()).doesNotContain("\u001b");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "kind: Passport\\nslug: a\\nname: A\\nlimitz: {}|limitz is not known here",
        "kind: Passport\\nslug: a\\nslug: b|line 3",
        "kind: Passport\\nname: A|slug is missing",
        "kind: Webhook\\nurl: https://x.example\\nsecret: abc|never holds a secret",
        "kind: Webhook\\nurl: https://x.example\\nsecret: {from_env: 7}|secret must be",
        "kind: Webhook\\nurl: https://x.example\\nevents: {from_env: PATH}|cannot come from",
        "kind: Pack\\ndocument: {id: x}|bad.yaml",
        "kind: Policy\\nname: A|kind must be Passport, Template",
        "kind: Preset\\nslug: a|preset is missing",
        "kind: Preset\\nslug: a\\npreset: nobody|preset must be an id of",
        "kind: Preset\\npreset: codex\\nagent_id: ap_0123456789abcdef0123456789abcdef|slug is missing",
        "kind: Preset\\nslug: a\\npreset: codex\\nlimits: 7|limits must be an object",
        "kind: Preset\\nslug: a\\npreset: codex\\nlimits: null|limits must be an object",
        "kind: Preset\\nslug: a\\npreset: codex\\nlimits: {web.fetch: 5}|limits.web.fetch must be an"
            + " object",
        "kind: Preset\\nslug: a\\npreset: codex\\nlimits: {web.fetch: []}|limits.web.fetch must be an"
            + " object",
        "kind: Preset\\nslug: a\\npreset: codex\\nlimits: {web.fetch: null}|limits.web.fetch must be"
            + " an object",
        "kind: Preset\\nslug: a\\npreset: codex\\nlimits: {web: {fetch: {}}}|limits.web must name the"
            + " whole capability, for example web.fetch",
        "kind: Preset\\nslug: a\\npreset: n8n\\nlimits: {messaging: {send: {}}}|limits.messaging.send"
            + " must name the whole capability",
        "kind: Preset\\nslug: a\\npreset: n8n\\nlimits: {msgs_per_day: 3}|limits.msgs_per_day must be"
            + " among the limits of a capability",
        "kind: Preset\\nslug: a\\npreset: n8n\\nlimits: {messaging: {}, messaging.send: {}}|"
            + "limits.messaging.send and another member are names of messaging.send",
        "kind: Preset\\nslug: a\\npreset: n8n\\nlimits: {data.export: {max_rows: 5, max_export_rows:"
            + " 6}}|limits.data.export.max_export_rows and another member",
        "kind: Retention|days is missing",
        "kind: Retention\\ndays: 0|days must be a whole number",
        "kind: Webhook\\nurl: {from_env: URL}\\ntimeout_ms: soon|timeout_ms must be",
        "kind: Feed\\nname: market_hours\\nvalues: {XFRA: soon}|values.XFRA must be",
        "kind: Feed\\nname: weather\\nvalues: {}|name must be one of exchange_status",
        "kind: Webhook\\nurl: x|url",
        "kind: Webhook\\nurl: https://x.example\\nformat: xml|format must be",
        "kind: Template\\nslug: a\\nname: A\\ntemplate: b|has the kind Passport",
        "a: &a [1]\\nb: *a|kind is missing",
        "- - - 1|must be an object",
      })
  void aBadFileIsNamedWithItsMember(String text, String fault) {
    Path file = folder.resolve("bad.yaml");
    try {
      Files.writeString(file, text.replace("\\n", "\n"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    CommandRun said = CommandRun.safeconduct("validate", "-f", file.toString());
    assertThat(said.status()).as(said.toString()).isEqualTo(1);
    assertThat(said.err()).contains("bad.yaml", fault);
  }
}
