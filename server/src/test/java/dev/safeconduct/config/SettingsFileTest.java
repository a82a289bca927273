package dev.safeconduct.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsFileTest {
  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("settings.yaml"), text, StandardCharsets.UTF_8);
  }

  @Test
  void everyScalarIsTheTextThatWasWritten() throws IOException {
    String text =
        """
        # a note
        A: 0600
        B: no
        C: 1e3
        D: "with: colon"
        E: [x, y]
        F:
        G: >-
          one
          line
        """;
    assertThat(SettingsFile.read(file(text)))
        .isEqualTo(
            Map.of(
                "A",
                "0600",
                "B",
                "no",
                "C",
                "1e3",
                "D",
                "with: colon",
                "E",
                "x,y",
                "F",
                "",
                "G",
                "one line"));
    assertThat(SettingsFile.read(file("# nothing\n"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "just text s3cr3t",
        "- s3cr3t",
        "A: {b: s3cr3t}",
        "A: [[s3cr3t]]",
        "A: s3cr3t\nA: s3cr3t",
        "A: \"s3cr3t",
        "A: s3cr3t\n\tB: x",
        "A: &x [*x]",
        "--- {A: s3cr3t}\n--- {B: s3cr3t}",
        "A: !!java.lang.Runtime s3cr3t"
      })
  void whatIsNoFileOfSettingsIsRefusedWithoutItsSecrets(String text) throws IOException {
    Path file = file(text);
    ConfigFault fault = catchThrowableOfType(ConfigFault.class, () -> SettingsFile.read(file));
    assertThat(fault).isNotNull();
    assertThat(fault.getMessage()).contains("settings.yaml").doesNotContain("s3cr3t");
  }

  /** Each alias repeats a list of lists; together they would have a billion values. */
  @Test
  void aFileWithTooManyAliasesIsRefusedForThem() throws IOException {
    var text = new StringBuilder("A0: &a0 [x]\n");
    for (int i = 1; i < 10; i++) {
      String alias = "*a" + (i - 1) + ", ";
      text.append("A" + i + ": &a" + i + " [" + alias.repeat(10) + "x]\n");
    }
    Path file = file(text.toString());
    assertThatThrownBy(() -> SettingsFile.read(file))
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining("too many aliases");
  }

  @Test
  void aFileThatIsNotThereStopsTheStart() throws IOException {
    Path none = folder.resolve("none.yaml");
    assertThatThrownBy(() -> Env.of(Map.of("CONFIG_FILE", none.toString())))
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining("none.yaml");
    Path odd = file("A: " + "x".repeat(2 << 20));
    assertThatThrownBy(() -> SettingsFile.read(odd)).hasMessageContaining("too long");
    Files.write(odd, new byte[] {'A', ':', ' ', (byte) 0xff});
    assertThatThrownBy(() -> SettingsFile.read(odd)).hasMessageContaining("UTF-8");
  }
}
