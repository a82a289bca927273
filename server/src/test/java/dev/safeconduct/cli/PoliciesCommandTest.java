package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.StockPack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** {@code safeconduct policies check|test|explain}, as continuous integration runs them. */
final class PoliciesCommandTest {
  @TempDir private Path folder;

  /** What a command printed and how it ended. */
  private static CommandRun run(Object... arguments) {
    return CommandRun.policies(Stream.of(arguments).map(Object::toString).toArray(String[]::new));
  }

  private Path file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  private Path pack(int most) throws IOException {
    return file("own/policy.json", Json.text(StockPack.pack("acme.own.v1", most)));
  }

  private static String aCase(String name, int items, boolean allow, String code, String rule) {
    JsonObject json =
        Calls.json(
            """
            {'name': '%s', 'passport': {'capabilities': ['acme.stock.move'],
               'limits': {'acme.stock.move': {'max_items': 5}}},
             'context': {'items': %d}, 'allow': %s, 'code': '%s'}
            """
                .formatted(name, items, allow, code));
    return Json.text(rule.isEmpty() ? json : json.with("rule", new JsonString(rule)));
  }

  @Test
  void everybodysPacksAreSoundAndTheirCasesCoverThem() {
    CommandRun checked = run("check", "policies");
    assertThat(checked.status()).as(checked.out()).isZero();
    assertThat(checked.out().lines()).hasSize(22).allMatch(line -> line.contains(" is sound: "));
    CommandRun tested = run("test", "policies", "--min-coverage", "100");
    assertThat(tested.status()).as(tested.out() + tested.err()).isZero();
  }

  @Test
  void anAuthzenPackIsTestedWithItsOwnData() throws IOException {
    CommandRun tested =
        run(
            "test",
            "examples/authzen/records.json",
            "examples/authzen/cases.jsonl",
            "--min-coverage",
            "100");
    assertThat(tested.status()).as(tested.out() + tested.err()).isZero();
    Path unnamed = file("cases.jsonl", "{\"action\": {\"name\": \"read\"}, \"allow\": true}");
    CommandRun refused = run("test", "examples/authzen/records.json", unnamed);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("context must be an object");
  }

  @Test
  void everyFaultIsShownInItsLine() throws IOException {
    String faulty = Json.text(StockPack.pack("acme.own.v1", 10)).replace("_items\"", "_itms\"");
    CommandRun checked =
        run("check", file("faulty.json", faulty.replace("max_itms\":", "max_items\":")));
    assertThat(checked.status()).isEqualTo(1);
    assertThat(checked.out())
        .contains("1 fault")
        .contains(
            "  rule cap, condition, column 25: the pack has no limit \"max_itms\";"
                + " did you mean max_items?\n"
                + "    context.items <= limits.max_itms\n"
                + "                            ^\n");
  }

  @Test
  void aFileThatCannotBeReadHidesNoOther() throws IOException {
    Path latin = folder.resolve("latin.json");
    Files.write(latin, new byte[] {'{', '"', (byte) 0xe9, '"', ':', '1', '}'});
    CommandRun ran =
        run(
            "check",
            file("list.json", "[1]"),
            file("empty.json", ""),
            file("open.json", "{"),
            latin,
            file("bare.json", "{\"id\": \"acme.bare.v1\"}"),
            pack(10));
    assertThat(ran.status()).as(ran.toString()).isEqualTo(2);
    assertThat(ran.err())
        .contains("list.json: The file must be a JSON object.")
        .contains("empty.json: The file is empty; write a JSON object.")
        .contains("open.json: The file is not valid JSON")
        .contains("latin.json: The file is not valid UTF-8.");
    assertThat(ran.out()).contains("bare.json: ").contains("acme.own.v1 is sound");
  }

  @Test
  void aPackThatCannotBeReadHidesNoOtherOfItsFolder() throws IOException {
    Path packs = folder.resolve("packs");
    for (String name : new String[] {"a", "b"}) {
      Files.createDirectories(packs.resolve(name));
    }
    Files.writeString(packs.resolve("a/policy.json"), "[1]");
    Files.copy(pack(10), packs.resolve("b/policy.json"));
    Files.createDirectories(packs.resolve("b/cases"));
    Files.writeString(packs.resolve("b/cases/none.jsonl"), "");
    CommandRun ran = run("check", packs);
    assertThat(ran.status()).as(ran.toString()).isEqualTo(2);
    assertThat(ran.err()).contains("a/policy.json: The file must be a JSON object.");
    assertThat(ran.out()).contains("acme.own.v1 is sound");
    assertThat(run("test", packs.resolve("b")).err()).contains("none.jsonl: there are no cases");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "check missing.json | there is no such file",
        "check | Missing required parameter",
        "chekc policies | Unmatched argument",
        "test policies --min-coverage 101 | from 0 to 100",
        "test policies --min-coverage much | Invalid value",
        "explain server/src | there is no policy.json",
        "explain policies/web.fetch.v1 --case nowhere | no case has \"nowhere\" in its name",
        "check server/src/test/resources/vectors/data.file.read.v1.jsonl | these are cases",
        "replay --pack policies/web.fetch.v1 --from yesterday | must be a day or a date-time",
        "replay --pack policies/web.fetch.v1 | Missing required option",
        "replay --pack policies/web.fetch.v1 --from 2026-11-02 --to 2026-11-01 | before --to",
      })
  void whatCannotBeDoneEndsWithTwo(String line, String said) {
    CommandRun ran = run((Object[]) line.split(" ", -1));
    assertThat(ran.status()).as(ran.toString()).isEqualTo(2);
    assertThat(ran.err()).contains(said);
  }

  @Test
  void aPackWithoutCasesHasNoneToExplain() throws IOException {
    CommandRun ran = run("explain", pack(10));
    assertThat(ran.status()).as(ran.toString()).isEqualTo(2);
    assertThat(ran.err()).contains("there are no cases");
    assertThat(run("explain", "--help").out()).contains("no such case");
  }

  @Test
  void runsTheAcceptanceCasesOfAFile() {
    CommandRun ran = run("test", "server/src/test/resources/vectors/data.file.read.v1.jsonl");
    assertThat(ran.status()).as(ran.out() + ran.err()).isZero();
    assertThat(ran.out()).startsWith("data.file.read.v1\n").contains("cases as expected");
  }

  @Test
  void tellsWhatCameOutOtherwiseAndWritesItForMachines() throws Exception {
    Path pack = pack(10);
    Path cases =
        file(
            "cases.jsonl",
            aCase("few", 3, true, "oap.allowed", "")
                + "\n\n"
                + aCase("some <&\\u0001>", 7, true, "oap.allowed", "")
                + "\n");
    Path junit = folder.resolve("junit.xml");
    CommandRun ran = run("test", pack, cases, "--junit", junit);
    assertThat(ran.status()).isEqualTo(1);
    assertThat(ran.out())
        .contains("step 1: expected an allow, was a deny, oap.limit_exceeded by cap: Too many")
        .contains("1 of 2 cases as expected; 1 of 2 rules covered (50 %)");
    Document xml = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(junit.toFile());
    Element suite = (Element) xml.getElementsByTagName("testsuite").item(0);
    assertThat(suite.getAttribute("name")).isEqualTo("acme.own.v1");
    assertThat(suite.getAttribute("tests")).isEqualTo("2");
    assertThat(suite.getAttribute("failures")).isEqualTo("1");
    Element failure = (Element) xml.getElementsByTagName("failure").item(0);
    assertThat(failure.getAttribute("message")).contains("expected an allow");
    assertThat(failure.getTextContent())
        .contains("DENY  cap  (context.items = 7, limits.max_items = 5");
  }

  /** {@code /dev/full} is a disk without space. */
  @ParameterizedTest
  @CsvSource({
    "/nowhere/junit.xml, /nowhere/junit.xml: there is no such file or folder",
    "/dev/full, No space left on device"
  })
  void whyTheResultsCannotBeWrittenIsSaid(String junit, String why) throws IOException {
    Path cases = file("cases.jsonl", aCase("few", 3, true, "oap.allowed", "") + "\n");
    CommandRun ran = run("test", pack(10), cases, "--junit", junit);
    assertThat(ran.status()).isEqualTo(2);
    assertThat(ran.err()).isEqualTo("The JUnit file cannot be written: " + why + "\n");
  }

  @Test
  void demandsThatEveryRuleIsSeenToPassAndToDeny() throws IOException {
    pack(10);
    file("own/cases/a.json", "[" + aCase("few", 3, true, "oap.allowed", "") + "]");
    Path own = folder.resolve("own");
    assertThat(run("test", own).status()).isZero();
    CommandRun tooFew = run("test", own, "--min-coverage", "80");
    assertThat(tooFew.status()).isEqualTo(1);
    assertThat(tooFew.out())
        .contains("not covered: own_cap: no case is denied by it")
        .contains("the coverage is below 80 %");
    file(
        "own/cases/b.json",
        "["
            + aCase("many", 11, false, "oap.limit_exceeded", "own_cap")
            + ","
            + aCase("some", 7, false, "oap.limit_exceeded", "cap")
            + "]");
    CommandRun enough = run("test", own, "--min-coverage", "100", "-v");
    assertThat(enough.status()).as(enough.out() + enough.err()).isZero();
    assertThat(enough.out()).contains("ok    many").contains("2 of 2 rules covered (100 %)");
  }

  @Test
  void countersAndTimePassFromStepToStep() throws IOException {
    Path pack =
        file(
            "counted.json",
            """
            {"id": "acme.counted.v1", "requires_capabilities": ["a"], "evaluation_rules": [
              {"name": "rate", "deny_code": "oap.rate_limit_exceeded",
               "counters": [{"name": "calls", "window": "minute", "max": "1"}]}]}
            """);
    Path cases =
        file(
            "timed.json",
            """
            {"name": "one a minute", "at": "2026-01-01T00:00:00Z", "passport": {"capabilities": ["a"]},
             "steps": [
               {"context": {}, "allow": true},
               {"context": {}, "after_seconds": 59.999, "code": "oap.rate_limit_exceeded"},
               {"context": {}, "after_seconds": 0.001, "allow": true},
               {"context": {}, "after_seconds": 100, "passport": {"status": "suspended"}, "code": "oap.passport_suspended"}]}
            """);
    CommandRun ran = run("test", pack, cases);
    assertThat(ran.status()).as(ran.out() + ran.err()).isZero();
    CommandRun explained = run("explain", pack, cases);
    assertThat(explained.out())
        .contains("counters = {\"calls\":{\"used\":1,\"max\":1}}")
        .contains("DENY  passport_status  (passport = {\"status\":\"suspended\"})");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'name': 'x', 'passport': {}, 'context': {}} | say what is expected in allow or code",
        "{'name': 'x', 'passport': {}, 'steps': []} | at least one step",
        "{'name': 'x', 'context': {}, 'allow': true} | passport must be an object",
        "{'name': 'x', 'passport': {}, 'context': {}, 'alow': true} | did you mean allow?",
        "{'name': 'x', 'passport': {}, 'steps': [{'context': {}, 'allow': 1}]} | true or false",
        "{'name': 'x', 'passport': {}, 'at': 'now', 'context': {}, 'allow': true} | date-time",
        "[5] | case 1 must be an object",
        "nothing | The text is not valid JSON",
        "[] | there are no cases",
        "'' | there are no cases",
        "{'name': 'x', 'pack': 'gone.v1', 'passport': {}, 'context': {}, 'allow': true}"
            + " | neither given nor built in",
      })
  void casesThatCannotBeReadAreNamed(String text, String said) throws IOException {
    CommandRun ran = run("test", pack(10), file("cases.jsonl", text.replace('\'', '"')));
    assertThat(ran.status()).isEqualTo(2);
    assertThat(ran.err()).contains("cases.jsonl: ").contains(said);
  }

  @Test
  void explainShowsOnlyTheCasesAskedFor() throws IOException {
    Path cases =
        file(
            "cases.json",
            "["
                + aCase("few", 3, true, "oap.allowed", "")
                + ","
                + aCase("many", 11, false, "oap.limit_exceeded", "")
                + "]");
    CommandRun ran = run("explain", pack(10), cases, "--case", "man");
    assertThat(ran.status()).isZero();
    assertThat(ran.out())
        .startsWith("acme.own.v1: many\n step 1: a deny, oap.limit_exceeded by own_cap: Too many")
        .contains("  DENY  own_cap  (context.items = 11)\n")
        .doesNotContain("few");
  }
}
