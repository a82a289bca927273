package dev.safeconduct.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.testkit.EachStore;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ReadsTest {
  private static final Sql.Row<Long> NUMBER = row -> row.getLong(1);

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  private final AtomicInteger refused = new AtomicInteger();

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void aRowIsReadWhileListsTakeAllTheirConnections(EachStore kind) {
    try (Database database = Database.open(kind.emptyStore(folder))) {
      assertThat(rowBesideLists(database.reads())).isEqualTo(2);
    }
  }

  /** Reads lists within each other until one is refused, then a row beside them. */
  private long rowBesideLists(Reads reads) {
    try {
      return reads.list("SELECT 1", _ -> rowBesideLists(reads)).getFirst();
    } catch (ProblemException e) {
      if (refused.getAndIncrement() > 0) {
        throw e;
      }
      return reads.first("SELECT 2", NUMBER).orElseThrow();
    }
  }
}
