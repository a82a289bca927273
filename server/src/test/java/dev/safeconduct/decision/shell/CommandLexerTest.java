package dev.safeconduct.decision.shell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.CaseFile;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CommandLexerTest {
  static Stream<Arguments> lines() {
    return CaseFile.objects("shell/lines.json").stream()
        .map(test -> {
          List<List<String>> segments =
              test.array("segments").orElseThrow().elements().stream()
                  .map(CommandLexerTest::words)
                  .toList();
          return Arguments.of(test.string("line").orElseThrow(), segments);
        });
  }

  @ParameterizedTest
  @MethodSource("lines")
  void cutsLinesIntoSegmentsOfWords(String line, List<List<String>> segments) {
    assertThat(CommandLexer.lex(line)).extracting(Segment::words).isEqualTo(segments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "a | b |& c~0 0 0",
        "a; b~0 1",
        "a & b~0 1",
        "a && b | c || d~0 1 1 2",
        "a | ; b~0 1",
        "a `b` | c~0 1 2",
        "(a) | b~0 0",
        "a | (b; c)~0 0 1",
        "x $(a) | b~0 1 2"
      })
  void numbersPipelines(String line, String pipelines) {
    assertThat(CommandLexer.lex(line))
        .extracting(segment -> String.valueOf(segment.pipeline()))
        .isEqualTo(List.of(pipelines.split(" ", -1)));
  }

  @ParameterizedTest
  @CsvSource({
    "ls -l, ls",
    "/usr/bin/LS, ls",
    "A=1 _b2=x ls, ls",
    "1A=1 ls, 1a=1",
    "sudo -n -E A=1 -k ls, ls",
    "env -i FOO=bar nohup nice -n5 ls x, ls",
    "sudo -u root ls, ls",
    "sudo --us root -nu me ls, ls",
    "timeout -k 5 9 ls, ls",
    "timeout --sig=KILL 9s nice -n 3 ls, ls",
    "2>/dev/null 3< x {fd}>>y &>z ls, ls",
    "A+=1 B[i]=2 ls, ls",
    "! { ls, ls",
    "then ls, ls",
    "function f ls, ls",
    "stdbuf -o L env - A=1 ls, ls",
    "xargs -I X ls X, ls",
    "time -f %e -- ls, ls",
    "flock -w 3 /l ls, ls",
    "chroot /x busybox ls, ls",
    "sudo 2>x A=1 ls, ls",
    "watch -n, ''",
    "xargs -0 busybox sh, sh",
    "command, ''",
    "A=1, ''",
    "time time time, ''",
    "., .",
    "dir/, ''",
    "stdbuf -oL builtin exec ionice setsid doas x, x",
  })
  void findsTheCommandWord(String line, String command) {
    assertThat(CommandLexer.lex(line).getFirst().commandWord()).isEqualTo(command);
  }

  private static List<String> words(JsonValue segment) {
    return ((JsonArray) segment).strings().toList();
  }
}
