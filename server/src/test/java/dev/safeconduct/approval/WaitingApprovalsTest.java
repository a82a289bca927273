package dev.safeconduct.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.db.Database;
import dev.safeconduct.testkit.EachStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Approvals that expired unanswered are kept. Those that wait are found without reading them. */
final class WaitingApprovalsTest {
  private static final Map<String, String> VALUES =
      Map.of(":org", "'org_1'", ":agent", "'ap_1'", ":now", "1");

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  @ParameterizedTest
  @EnumSource(EachStore.class)
  void areFoundByTheIndex(EachStore kind) throws SQLException {
    try (Database database = Database.open(kind.emptyStore(folder));
        Connection writer = database.openWriter()) {
      assertThat(plan(kind, writer, Approvals.WAITING)).containsPattern(by("approval_of_agent"));
      if (kind == EachStore.SQLITE) { // to PostgreSQL both indexes of an empty table are equal
        String pending = "WHERE org = :org AND answer IS NULL AND expires_at > :now";
        assertThat(plan(kind, writer, pending)).containsPattern(by("approval_waiting"));
      }
    }
  }

  private static String by(String index) {
    return "(" + index + " \\(|(?s)" + index + ".*Index Cond: ).*expires_at ?>";
  }

  private static String plan(EachStore kind, Connection connection, String where)
      throws SQLException {
    String query = "SELECT request FROM approval " + where + " LIMIT 20";
    for (Map.Entry<String, String> value : VALUES.entrySet()) {
      query = query.replace(value.getKey(), value.getValue());
    }
    boolean sqlite = kind == EachStore.SQLITE;
    try (Statement statement = connection.createStatement();
        ResultSet plan =
            statement.executeQuery((sqlite ? "EXPLAIN QUERY PLAN " : "EXPLAIN ") + query)) {
      var lines = new StringBuilder();
      while (plan.next()) {
        lines.append(plan.getString(sqlite ? "detail" : "QUERY PLAN")).append('\n');
      }
      return lines.toString();
    }
  }
}
