package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.db.Sql;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.PostgresServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Databases and addresses that a program may meet at its start. */
@Tag("attack")
final class OtherSchemaTest {
  @ParameterizedTest
  @EnumSource(EachStore.class)
  void aNewerSchemaStopsAnOlderProgram(EachStore kind, @TempDir Path folder) {
    StoreConfig config = kind.emptyStore(folder);
    try (Storage store = Storage.open(config)) {
      store.update(
          Sql.of(
              """
              INSERT INTO schema_history (installed_rank, version, description, type, script,
                                          installed_by, execution_time, success)
              SELECT 9999, '9999', 'later', 'SQL', 'V9999__later.sql', 'x', 1, success
                FROM schema_history
               WHERE version = '001'
              """));
    }
    assertThatThrownBy(() -> Storage.open(config))
        .isInstanceOf(StoreFault.class)
        .hasMessageContaining("newer version of Safeconduct")
        .hasMessageContaining("9999");
  }

  @Test
  void ofSeveralHostsTheOneThatAnswersIsUsed() {
    String url = PostgresServer.shared().freshDatabase();
    String two = url.replace("@", "@127.0.0.1:1,") + "?target_session_attrs=read-write";
    try (Storage store = Storage.open(StoreConfig.postgres(two))) {
      assertThat(new Ledger(store).commit(Fixtures.entry(Long.MAX_VALUE)))
          .isEqualTo(new Commit.Recorded(0));
    }
    assertThatThrownBy(() -> Storage.open(StoreConfig.postgres(url + "?target_session_attrs=any")))
        .isInstanceOf(StoreFault.class)
        .hasMessageContaining("target_session_attrs");
  }
}
