package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.TestService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept on disk is its owner's alone. */
final class DataFolderTest {
  @TempDir Path folder;

  @Test
  void aFolderWeMakeAndTheMasterKeyAreClosedToOthers() throws Exception {
    Path data = folder.resolve("new/data");
    try (TestService service = TestService.start(data, Map.of())) {
      assertThat(service.nobody().get("/readyz").status()).isEqualTo(200);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
          .isEqualTo("rwx------");
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(data.resolve("master.key"))))
          .isEqualTo("rw-------");
    }
  }
}
