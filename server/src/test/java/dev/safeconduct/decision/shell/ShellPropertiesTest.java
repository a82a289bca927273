package dev.safeconduct.decision.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.Facts;
import dev.safeconduct.decision.Given;
import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import dev.safeconduct.testkit.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ShellPropertiesTest {
  private static final int LARGE = 4_990;

  static Stream<String> hostile() {
    var noise = new StringBuilder();
    var random = new Random(7);
    while (noise.length() < LARGE) {
      noise.append("\"$'`;&|() \n\\<>a,=../~%2e".charAt(random.nextInt(24)));
    }
    String distinct =
        IntStream.range(0, LARGE / 4)
            .mapToObj(i -> Integer.toString(i, 36) + ",")
            .collect(Collectors.joining());
    return Stream.concat(
        Stream.of(noise.toString(), distinct, distinct.replace(",", "/../,")),
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

  /** The command and the args of the largest line that a request may hold. */
  @Tag("timing")
  @ParameterizedTest
  @MethodSource("hostile")
  void theLargestLineIsJudgedInTime(String text) {
    JsonObject context =
        JsonObject.builder()
            .put("command", text)
            .put("args", JsonArray.ofStrings(List.of("-c", text)))
            .put("cwd", "/x.sshx.awsx.envx.pemx.keyxetcx".repeat(132))
            .build();
    Facts facts = Given.facts(context, "{'allowed_commands':['sh'], 'allowed_paths':['/**']}");
    List<RuleResult> verdicts =
        WallClock.within(
            Duration.ofSeconds(1),
            () ->
                ShellValidators.all().values().stream()
                    .map(validator -> validator.check(facts))
                    .toList());
    assertThat(verdicts).isNotEmpty().doesNotContainNull();
  }

  @RandomTest(cases = 2000)
  void anyLineCanBeLexedAndJudged(RandomCase random) {
    String line =
        random.joined(
            30,
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
            "\ud83d\ude00");
    Facts facts =
        Given.facts(
            JsonObject.builder().put("command", line).build(), "{'allowed_commands':['a']}");
    ShellValidators.all().values().forEach(validator -> validator.check(facts));
    for (Segment segment : CommandLexer.lex(line)) {
      assertThat(segment.words()).isNotEmpty();
    }
  }

  @RandomTest
  void quotingChangesNothingForK1(RandomCase random) {
    List<String> words =
        random.some(
            1, 6, "rm", "/bin/rm", "-r", "-fR", "--recursive", "--", "/", "/etc/", "~", "x", "ls");
    var quoted = new StringBuilder();
    for (String word : words) {
      quoted.append(quote(word, random.between(0, 4))).append(' ');
    }
    assertThat(Cases.core(quoted.toString())).isEqualTo(Cases.core(String.join(" ", words)));
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
