package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings' names, defaults and units are what the README and the example file say. */
final class SettingsTest {
  private static final Path EXAMPLE = Path.of("safeconduct.example.yaml");

  @TempDir private Path folder;

  private Env file(String text, Map<String, String> variables) throws IOException {
    Path file = Files.writeString(folder.resolve("settings.yaml"), text);
    var all = new java.util.HashMap<>(variables);
    all.put("CONFIG_FILE", file.toString());
    return Env.of(all);
  }

  private static Set<String> found(String text, String pattern) {
    return Pattern.compile(pattern, Pattern.MULTILINE)
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everySettingIsInTheReadmeAndInTheExample() throws IOException {
    var env = new Env(Map.of());
    ServerConfig.from(env);
    String readme = Files.readString(Path.of("README.md"));
    String table =
        readme.substring(readme.indexOf("## Settings"), readme.indexOf("`JAVA_OPTS` reaches"));
    Set<String> listed = new TreeSet<>();
    for (String row : found(table, "^\\| `[A-Z].*$")) {
      listed.addAll(found(row.substring(0, row.indexOf('|', 2)), "[A-Z][A-Z0-9_]+"));
    }
    assertThat(listed.remove("CONFIG_FILE")).isTrue();
    assertThat(listed).containsExactlyInAnyOrderElementsOf(env.asked());
    assertThat(found(Files.readString(EXAMPLE), "(?<=^# )[A-Z][A-Z0-9_]+(?=: )")).isEqualTo(listed);
  }

  @Test
  void theConsoleShowsEverySetting() {
    var env = new Env(Map.of());
    ServerConfig config = ServerConfig.from(env);
    assertThat(SettingsView.of(config))
        .extracting(setting -> setting.name())
        .containsExactlyInAnyOrderElementsOf(env.asked());
  }

  /** With every line of the example in force, nothing is other than without it. */
  @Test
  void theExampleHoldsTheDefaults() throws IOException {
    String all = Files.readString(EXAMPLE).replaceAll("(?m)^# ([A-Z][A-Z0-9_]+: )", "$1");
    assertThat(ServerConfig.from(file(all, Map.of())))
        .isEqualTo(ServerConfig.from(new Env(Map.of())));
  }

  @Test
  void aVariableWinsOverALine() throws IOException {
    String text =
        "PORT: 9000\nISSUE_URL: https://issue.example.com\nTRUSTED_PROXIES: [10.0.0.1, 10.1.0.0/16]\n";
    ServerConfig config = ServerConfig.from(file(text, Map.of("PORT", "9001", "BIND", " ")));
    assertThat(config.http().server().port()).isEqualTo(9001);
    assertThat(config.http().issueUrl()).hasToString("https://issue.example.com");
    assertThat(config.http().trustedProxies()).hasSize(2);
  }

  @Test
  void aLineOfNoDestinationIsNamedOnce() {
    assertThatThrownBy(
            () -> ServerConfig.from(file("AUDIT_STREAM_X_URL: https://x.example\n", Map.of())))
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining("AUDIT_STREAM_X_URL belongs to no destination")
        .hasMessageNotContaining("no setting");
  }

  @Test
  void aLineThatIsNoSettingStopsTheStart() {
    assertThatThrownBy(() -> ServerConfig.from(file("PROT: 9000\nPORT: many\n", Map.of())))
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining("PROT in the file of settings is not a setting")
        .hasMessageContaining("PORT must be a whole number");
  }
}
