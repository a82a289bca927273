package dev.safeconduct.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.TestService;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the command says of names that it does not find. */
final class SuggestCommandTest {
  @TempDir private Path folder;

  /** No output and status 0 would read as: there is nothing to narrow. */
  @ParameterizedTest
  @EnumSource
  void anUnknownNameIsReported(EachStore store) {
    var settings = new HashMap<>(store.settings());
    settings.put("DATA_DIR", folder.toString());
    try (TestService service = TestService.start(folder, settings)) {
      for (String option : List.of("--agent", "--template", "--org", "--fleet")) {
        for (String name : List.of("nope", "", "x".repeat(129))) {
          CommandRun said = CommandRun.suggest(settings, option, name);
          assertThat(said.status()).as(said.toString()).isEqualTo(2);
          assertThat(said.out()).isEmpty();
          assertThat(said.err()).contains("there is no ", name);
        }
      }
      for (String option : List.of("--org", "--fleet")) {
        CommandRun said = CommandRun.suggest(settings, option, service.org());
        assertThat(said.status()).as(said.toString()).isZero();
      }
    }
  }
}
