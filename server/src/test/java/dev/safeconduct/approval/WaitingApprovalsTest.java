package dev.safeconduct.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.db.Database;
import dev.safeconduct.testkit.EachStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class WaitingApprovalsTest {
  private static final String WAITING =
      """
      SELECT request FROM approval
       WHERE org = 'org_1' AND agent = 'ap_1' AND answer IS NULL AND expires_at > 1 LIMIT 20
      """;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  /** The writer asks for them, and approvals that expired unanswered are kept. */
  @ParameterizedTest
  @EnumSource(EachStore.class)
  void areFoundWithoutReadingTheExpired(EachStore kind) throws SQLException {
    boolean sqlite = kind == EachStore.SQLITE;
    try (Database database = Database.open(kind.emptyStore(folder));
        Connection writer = database.openWriter();
        Statement statement = writer.createStatement();
        ResultSet plan =
            statement.executeQuery((sqlite ? "EXPLAIN QUERY PLAN " : "EXPLAIN ") + WAITING)) {
      var lines = new StringBuilder();
      while (plan.next()) {
        lines.append(plan.getString(sqlite ? "detail" : "QUERY PLAN")).append('\n');
      }
      assertThat(lines.toString())
          .contains("approval_waiting")
          .containsPattern("(Index Cond: |approval_waiting \\().*expires_at ?>");
    }
  }
}
