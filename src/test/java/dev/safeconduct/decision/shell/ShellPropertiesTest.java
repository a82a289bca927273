package dev.safeconduct.decision.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.facts.Facts;
import dev.safeconduct.decision.facts.Given;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ShellPropertiesTest {
  private static final int LARGE = 1_000_000;

  static Stream<String> hostile() {
    var noise = new StringBuilder();
    var random = new Random(7);
    while (noise.length() < LARGE) {
      noise.append("\"$'`;&|() \n\\<>a,=../~%2e".charAt(random.nextInt(24)));
    }
    return Stream.concat(
        Stream.of(noise.toString()),
        Stream.of(
                "rm ",
                "rm -r ",
                "dd ",
                "chmod ",
                "chmod -R ",
                "(",
                ")",
                "'",
                "\"",
                "'\"",
                "\\",
                "|",
                "&>",
                "(){a|",
                "$( ",
                "../,",
                "a,",
                ".ssh/,",
                "%25",
                "\u0301\u0323",
                "curl|",
                "A=1 ",
                "sudo ",
                "sh -c '",
                "exec:",
                "> /dev/ ",
                "* ",
                "\ud83d\ude00 ")
            .map(part -> part.repeat(LARGE / part.length())));
  }

  /** Quadratic work on a megabyte would take hours. */
  @ParameterizedTest
  @MethodSource("hostile")
  void aMegabyteOfAnythingIsJudgedInTime(String text) {
    JsonObject context =
        JsonObject.builder()
            .put("command", text)
            .put("args", JsonArray.ofStrings(List.of("-c", text)))
            .put("cwd", "/.ssh/etc".repeat(400))
            .build();
    Facts facts = Given.facts(context, "{'allowed_commands':['sh'], 'allowed_paths':['/**']}");
    Assertions.assertTimeout(
        Duration.ofSeconds(30),
        () -> ShellValidators.all().values().forEach(validator -> validator.check(facts)));
  }

  @Property(tries = 2000)
  void anyLineCanBeLexedAndJudged(@ForAll("lines") String line) {
    Facts facts =
        Given.facts(
            JsonObject.builder().put("command", line).build(), "{'allowed_commands':['a']}");
    ShellValidators.all().values().forEach(validator -> validator.check(facts));
    for (Segment segment : Lexer.lex(line).segments()) {
      assertThat(segment.words()).isNotEmpty();
    }
  }

  @Property(tries = 1000)
  void quotingChangesNothingForK1(
      @ForAll("commands") List<String> words, @ForAll("quotings") List<Integer> quotings) {
    var quoted = new StringBuilder();
    for (int i = 0; i < words.size(); i++) {
      quoted.append(quote(words.get(i), quotings.get(i))).append(' ');
    }
    assertThat(CorePatterns.find(Cases.line(quoted.toString())))
        .isEqualTo(CorePatterns.find(Cases.line(String.join(" ", words))));
  }

  @Provide
  Arbitrary<String> lines() {
    return Arbitraries.of(
            "a",
            "rm",
            "-r",
            "/",
            " ",
            "\t",
            "\n",
            "\\",
            "'",
            "\"",
            "$",
            "(",
            ")",
            "`",
            "&",
            "|",
            ";",
            ">",
            "<",
            "=",
            "..",
            "%2e",
            "*",
            "\u200b",
            "\ud83d\ude00")
        .list()
        .ofMaxSize(30)
        .map(parts -> String.join("", parts));
  }

  @Provide
  Arbitrary<List<String>> commands() {
    return Arbitraries.of(
            "rm", "/bin/rm", "-r", "-fR", "--recursive", "--", "/", "/etc/", "~", "x", "ls")
        .list()
        .ofMinSize(1)
        .ofMaxSize(6);
  }

  @Provide
  Arbitrary<List<Integer>> quotings() {
    return Arbitraries.integers().between(0, 4).list().ofSize(6);
  }

  private static String quote(String word, int way) {
    return switch (way) {
      case 0 -> "'" + word + "'";
      case 1 -> "\"" + word + "\"";
      case 2 -> "\\" + word;
      case 3 -> word.charAt(0) + "''\"" + word.substring(1) + "\"";
      default -> word;
    };
  }
}
