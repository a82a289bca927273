package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.config.OwnerOnly;
import dev.safeconduct.testkit.TestService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept on disk is its owner's alone. */
@Tag("attack")
final class DataFolderTest {
  @TempDir Path folder;

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static void isClosed(Path data) throws IOException {
    assertThat(mode(data)).isEqualTo("rwx------");
    for (String name :
        List.of(
            "master.key", "safeconduct.db", "safeconduct.db-wal", "safeconduct.db-shm", "lock")) {
      assertThat(mode(data.resolve(name))).as(name).isEqualTo("rw-------");
    }
  }

  @Test
  void aNewFolderAndItsFilesAreClosedToOthers() throws Exception {
    Path data = folder.resolve("new/data");
    try (TestService service = TestService.start(data, Map.of())) {
      assertThat(service.nobody().get("/readyz").status()).isEqualTo(200);
      isClosed(data);
    }
  }

  @Test
  void whatAnEarlierStartLeftOpenIsClosed() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    TestService.start(data, Map.of()).close();
    for (String name : List.of("safeconduct.db", "lock")) {
      Files.setPosixFilePermissions(
          data.resolve(name), PosixFilePermissions.fromString("rw-r--r--"));
    }
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (TestService _ = TestService.start(data, Map.of())) {
      isClosed(data);
    }
  }

  @Test
  void aFolderWithOtherFilesIsLeftOpenAndReported() throws Exception {
    Path data = Files.createDirectory(folder.resolve("shared"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createFile(data.resolve("notes.txt"));
    assertThat(OwnerOnly.folder(data).orElseThrow())
        .contains("Other users")
        .contains(data.toString())
        .contains("rwxr-xr-x")
        .contains("notes.txt")
        .contains("chmod 700");
    assertThat(mode(data)).isEqualTo("rwxr-xr-x");
    Files.delete(data.resolve("notes.txt"));
    assertThat(OwnerOnly.folder(data)).isEmpty();
    assertThat(mode(data)).isEqualTo("rwx------");
  }
}
