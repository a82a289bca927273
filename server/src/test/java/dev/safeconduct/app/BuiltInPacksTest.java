package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.policy.PolicyPack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The packs that ship with the service hold no mistake: its start only compiles them. */
final class BuiltInPacksTest {
  static List<Path> packs() throws IOException {
    try (Stream<Path> folders = Files.list(Path.of("policies"))) {
      return folders.map(pack -> pack.resolve("policy.json")).filter(Files::exists).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("packs")
  void holdsNoMistake(Path file) throws Exception {
    PolicyPack pack = BuiltInPacks.reader().read(Json.parseObject(Files.readAllBytes(file)));

    assertThat(BuiltInPacks.catalog().find(pack.id().value()))
        .hasValueSatisfying(one -> assertThat(one.digest()).isEqualTo(pack.digest()));
  }
}
