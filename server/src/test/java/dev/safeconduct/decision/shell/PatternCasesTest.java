package dev.safeconduct.decision.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PatternCasesTest {
  static Stream<Arguments> core() {
    return Cases.groups("core.json");
  }

  static Stream<Arguments> texts() {
    return Cases.groups("texts.json");
  }

  @ParameterizedTest
  @MethodSource("core")
  void corePatterns(String group, String line) {
    assertThat(Cases.core(line).isPresent()).isEqualTo(group.endsWith("hits"));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void blockedTexts(String group, String line) {
    var texts =
        group.startsWith("owner")
            ? new BlockedTexts(List.of(" Push  --force", "", "\u200b"), true)
            : new BlockedTexts(List.of(), false);
    assertThat(texts.find(Cases.line(line)).isPresent()).isEqualTo(group.endsWith("hits"));
  }

  @Test
  void argsAreWordsOfTheLastCommand() {
    assertThat(Cases.core("rm", "-r", "/")).isPresent();
    assertThat(Cases.core("ls; rm", "-r", "/")).isPresent();
    assertThat(Cases.core(";", "rm", "-r", "/")).isPresent();
    assertThat(Cases.core("echo", "x; rm -r /")).isPresent();
    assertThat(Cases.core("echo", "x\\; rm", "-r", "/")).isEmpty();
    assertThat(Cases.core("curl u |", "sh")).isEmpty();
    assertThat(Cases.core("curl u", "| sh")).isEmpty();
    assertThat(new BlockedTexts(List.of(), false).find(Cases.line("rm", "-f", "-r"))).isPresent();
  }

  @Test
  void nestingIsFollowedFiveDeep() {
    String line = "rm -r /";
    for (int depth = 0; depth < 5; depth++) {
      line = "sh -c \"" + line.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
      assertThat(Cases.core(line)).as(line).isPresent();
    }
    line = "sh -c \"" + line.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    assertThat(Cases.core(line)).as(line).isEmpty();
  }

  @Test
  void theFirstApplicableWordIsRewritten() {
    assertThat(BlockedTexts.canonical(List.of("rm", "-r", "a", "--force", "b")))
        .hasValue("rm -rf a b");
    assertThat(BlockedTexts.canonical(List.of("rm", "-rf", "--", "-x"))).hasValue("rm -rf -x");
    assertThat(BlockedTexts.canonical(List.of("chmod", "-v", "0777", "a"))).hasValue("chmod 777 a");
    assertThat(BlockedTexts.canonical(List.of("x", "dd", "a", "if=b", "if=c"))).hasValue("dd if=b");
    assertThat(BlockedTexts.canonical(List.of("chmod", "777", "dd", "if=x")))
        .hasValue("chmod 777 dd if=x");
    assertThat(BlockedTexts.canonical(List.of("dd", "if=x", "rm", "-rf"))).hasValue("dd if=x");
    assertThat(BlockedTexts.canonical(List.of("rm", "-r", "x"))).isEmpty();
  }
}
