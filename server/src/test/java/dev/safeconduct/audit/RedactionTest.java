package dev.safeconduct.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.policy.schema.ContextSchema;
import dev.safeconduct.policy.schema.StringFormats;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.CaseFile;
import dev.safeconduct.testkit.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RedactionTest {
  private static final Redaction REDACTION = new Redaction(new byte[32]);
  private static final JsonObject CASES = CaseFile.object("audit/secrets.json");
  private static final Duration MOST_CPU_TIME = Duration.ofSeconds(1);
  private static final List<String> SECRETS =
      List.of("Zq7vX9pLw2Rt", "hunter2hunter2", "ap_0123456789abcdef0123456789abcdef");

  private static final ContextSchema SCHEMA =
      ContextSchema.read(
          Calls.json(
              """
              {'type': 'object', 'properties': {
                'command': {'type': 'string', 'x-aliases': ['cmd']},
                'args': {'type': 'array', 'items': {'type': 'string'}},
                'env': {'type': 'object', 'additionalProperties': {'type': 'string'}},
                'parameters': {'type': 'object'},
                'content': {'type': 'string'},
                'password_hint': {'type': 'string', 'x-secret': true},
                'recovery_key': {'type': 'string', 'x-secret': false},
                'amount': {'type': 'integer'},
                'buyer': {'type': 'object', 'properties': {'name': {'type': 'string'}}},
                'items': {'type': 'array', 'items': {
                  'type': 'object', 'properties': {'sku': {'type': 'string'}}}}}}
              """),
          new StringFormats(Map.of()),
          fault -> {
            throw new AssertionError(fault);
          });

  static Stream<String> texts() {
    return cases("texts");
  }

  static Stream<String> forms() {
    return cases("forms");
  }

  static Stream<String> harmlessTexts() {
    return cases("harmless_texts");
  }

  static Stream<String> names() {
    return cases("names");
  }

  static Stream<String> harmlessNames() {
    return cases("harmless_names");
  }

  static Stream<JsonArray> arguments() {
    return CASES.array("arguments").orElseThrow().elements().stream().map(JsonArray.class::cast);
  }

  private static Stream<String> cases(String name) {
    return CASES.array(name).orElseThrow().strings();
  }

  private static JsonObject shown(JsonObject context) {
    return REDACTION.of(context, SCHEMA).shown();
  }

  private static String shown(String context) {
    return Json.text(shown(Calls.json(context)));
  }

  private static void isAbsent(String secret, JsonObject context) {
    assertThat(Json.text(shown(context))).doesNotContain(secret).contains(Redaction.MARK);
  }

  private static JsonObject with(String name, String value) {
    return JsonObject.EMPTY.with(name, new JsonString(value));
  }

  @ParameterizedTest
  @MethodSource
  void texts(String form) {
    for (String secret : SECRETS) {
      String text = form.replace("{S}", secret);
      isAbsent(secret, with("command", text));
      isAbsent(secret, with("cmd", text + "\nls"));
      isAbsent(secret, JsonObject.EMPTY.with("parameters", with("script", text)));
      assertThat(REDACTION.of(with("cmd", text), SCHEMA).text("Not allowed: \"" + text + "\"."))
          .doesNotContain(secret);
    }
  }

  @ParameterizedTest
  @MethodSource
  void arguments(JsonArray form) {
    for (String secret : SECRETS) {
      var words =
          JsonArray.ofStrings(
              ((JsonArray) form.get(1))
                  .texts().stream().map(w -> w.replace("{S}", secret)).toList());
      JsonObject context = with("command", ((JsonString) form.get(0)).value()).with("args", words);
      isAbsent(secret, context);
      isAbsent(secret, JsonObject.EMPTY.with("parameters", context));
    }
  }

  @ParameterizedTest
  @MethodSource
  void forms(String form) {
    JsonObject shown = shown(with("command", "see " + form + " there"));
    assertThat(shown.string("command").orElseThrow())
        .doesNotContain(form.substring(Math.max(0, form.length() - 12)))
        .startsWith("see ")
        .contains(Redaction.MARK);
    // Cut by a message, the beginning of a secret is still one.
    assertThat(
            REDACTION
                .of(with("command", form), SCHEMA)
                .text("\"" + form.substring(0, form.length() - 2) + "…\""))
        .doesNotContain(form.substring(0, form.length() - 2));
  }

  @ParameterizedTest
  @MethodSource
  void harmlessTexts(String text) {
    JsonObject context = with("command", text);
    assertThat(shown(context)).isSameAs(context);
  }

  @ParameterizedTest
  @MethodSource
  void names(String name) {
    JsonObject env =
        Calls.json("{'env': {'%s': 'Zq7vX9pLw2Rt'}, 'command': 'x Zq7vX9pLw2Rt'}".formatted(name));
    isAbsent("Zq7vX9pLw2Rt", env);
    String inside =
        shown("{'parameters': {'%s': ['plain', {'a': [[4242]], 'b': true}]}}".formatted(name));
    assertThat(inside).doesNotContain("plain").doesNotContain("4242").contains("true");
    assertThat(shown("{'parameters': [{'name': '%s', 'value': 'plain'}]}".formatted(name)))
        .doesNotContain("plain");
    // Undeclared, and yet known as a secret.
    isAbsent(
        "Zq7vX9pLw2Rt",
        Calls.json("{'%s': 'Zq7vX9pLw2Rt', 'command': 'x Zq7vX9pLw2Rt'}".formatted(name)));
  }

  @ParameterizedTest
  @MethodSource
  void harmlessNames(String name) {
    JsonObject context =
        Calls.json(
            "{'env': {'%s': 'Zq7vX9pLw2Rt'}, 'parameters': {'%s': 17}}".formatted(name, name));
    assertThat(shown(context)).isSameAs(context);
  }

  @Test
  void aPackSaysWhatIsASecretAndWhatIsNot() {
    assertThat(shown("{'password_hint': 'the dog'}")).doesNotContain("the dog");
    JsonObject kept = Calls.json("{'recovery_key': 'key=abc12345 4111111111111111'}");
    assertThat(shown(kept)).isSameAs(kept);
    // A token is one whatever the pack says, and so is a value that another name gives away.
    assertThat(shown("{'recovery_key': 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'}"))
        .doesNotContain("ghp_");
    assertThat(shown("{'recovery_key': 'Zq7vX9pLw2Rt', 'password': 'Zq7vX9pLw2Rt'}"))
        .doesNotContain("Zq7vX9pLw2Rt");
  }

  @Test
  void undeclaredMembersAreKeptByNameTypeLengthAndHash() {
    JsonObject shown =
        shown(
            Calls.json(
                """
                {'command': 'ls', 'note': 'call Ann', 'card': {'owner': 'Ann', 'years': [1, 2]},
                 'flag': true, 'buyer': {'name': 'Ann', 'street': 'Elm 1'},
                 'items': [{'sku': 'a1', 'gift': 'for Bob'}], 'agent_id': 'ap_1', 'region': 'US'}
                """));
    assertThat(shown.string("command")).contains("ls");
    assertThat(shown.string("agent_id")).contains("ap_1");
    assertThat(shown.string("region")).contains("US");
    assertThat(shown.string("note").orElseThrow())
        .matches("\\[redacted hmac-sha256:[0-9a-f]{64} type:string length:8]");
    assertThat(shown.object("card").orElseThrow().string("years").orElseThrow())
        .endsWith(" type:array length:5]");
    assertThat(shown.string("flag").orElseThrow()).endsWith(" type:boolean length:4]");
    assertThat(shown.object("buyer").orElseThrow().string("name")).contains("Ann");
    assertThat(Json.text(shown)).contains("a1").doesNotContain("Elm 1").doesNotContain("for Bob");
  }

  @Test
  void aValueOfAnotherTypeThanDeclaredIsUndeclared() {
    assertThat(shown("{'command': {'note': 'call Ann'}, 'amount': ['Ann']}"))
        .doesNotContain("Ann")
        .contains("note");
  }

  @Test
  void undeclaredNamesAreBoundedAndMayBeSecretsThemselves() {
    JsonObject.Builder many = JsonObject.builder().put("command", "ls");
    for (int i = 0; i < 1_000; i++) {
      many.put("member_" + "abcdefghij".charAt(i % 10) + "_" + i, "text");
    }
    assertThat(shown(many.build()).size()).isLessThan(40);
    assertThat(Json.text(shown(many.build()))).contains(Redaction.UNDECLARED).contains(" members:");
    assertThat(Json.text(shown(with("x".repeat(5_000), "text")))).hasSizeLessThan(300);
    for (String name :
        List.of("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "password=hunter2", "Zq7vX9pLw2Rt")) {
      isAbsent(name.substring(name.length() - 7), with(name, "text"));
    }
    isAbsent("plainword", Calls.json("{'password': 'plainword', 'my plainword': 1}"));
    isAbsent("plainword", Calls.json("{'password': 'plainword', 'env': {'A_plainword': 'x'}}"));
  }

  @Test
  void aSecretIsRemovedEverywhere() {
    RedactedContext context =
        REDACTION.of(
            Calls.json(
                """
                {'command': 'curl -u admin:tr0ub4dor https://x.example/tr0ub4dor',
                 'args': ['--note=TR0UB4DOR'], 'content': 'x tr0ub4dor y', 'pin': 987654,
                 'amount': 987654, 'otp': '123', 'env': {'A': 'code 123 of 41234'}}
                """),
            SCHEMA);
    assertThat(Json.text(context.shown()).toLowerCase(java.util.Locale.ROOT))
        .doesNotContain("tr0ub4dor")
        .doesNotContain("987654")
        .doesNotContain("code 123")
        .contains("41234")
        .contains("admin");
    assertThat(context.text("Denied: \"x tr0ub4dor\", \"tr0ub4…\", \"Tr0ub4dor\"."))
        .doesNotContainIgnoringCase("tr0ub4");
    assertThat(Json.text(context.member("allowed", new JsonString("tr0ub4dor"))))
        .doesNotContain("tr0ub4dor");
    assertThat(Json.text(context.object(Calls.json("{'a': ['tr0ub4dor'], 'api_key': 'plain'}"))))
        .doesNotContain("tr0ub4dor")
        .doesNotContain("plain");
  }

  @ParameterizedTest
  @ValueSource(strings = {"admin", "true", "password", "no"})
  void commonWordsAreNotRemovedEverywhere(String word) {
    assertThat(shown("{'password': '%s', 'command': 'run %s now'}".formatted(word, word)))
        .contains("run " + word + " now");
  }

  /** Contexts of very many secrets, names or separators take time in proportion to their size. */
  @Tag("timing")
  @Test
  void theWorstContextsTakeLittleTime() {
    JsonObject.Builder secrets = JsonObject.builder();
    JsonObject.Builder texts = JsonObject.builder();
    for (int i = 0; i < Json.MAX_MEMBERS; i++) {
      secrets.put("key" + i, "plain" + i);
      texts.put("a" + i, "b" + i + "=c password=d" + i + " curl docker -u x:y" + i);
    }
    JsonObject.Builder strings = JsonObject.builder();
    for (int i = 0; i < 40; i++) {
      strings.put(
          "s" + i, List.of("password=", "docker ", "4111 ", "\"'", "a:").get(i % 5).repeat(1_600));
    }
    for (JsonObject worst : List.of(secrets.build(), texts.build(), strings.build())) {
      JsonObject open = JsonObject.EMPTY.with("parameters", worst);
      WallClock.withinCpuTime(MOST_CPU_TIME, () -> shown(worst));
      WallClock.withinCpuTime(MOST_CPU_TIME, () -> shown(open));
    }
  }

  @Test
  void fileContentsAreKeptAsHashAndLength() {
    assertThat(shown(with("content", "x".repeat(1025))).string("content").orElseThrow())
        .startsWith(Redaction.MARK)
        .endsWith("length:1025]");
    JsonObject kept = with("content", "x".repeat(1024));
    assertThat(shown(kept)).isSameAs(kept);
  }

  @Test
  void theSameSecretLeavesTheSameMarkUnderTheSameKeyOnly() {
    JsonObject context = with("command", "Bearer abcdefgh");
    assertThat(shown(context)).isEqualTo(shown(context));
    byte[] other = new byte[32];
    other[0] = 1;
    assertThat(new Redaction(other).of(context, SCHEMA).shown()).isNotEqualTo(shown(context));
  }
}
