package dev.safeconduct.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.safeconduct.access.RateLimits;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** One of the two databases, opened and migrated. */
interface Database extends AutoCloseable {
  Session openSession() throws SQLException;

  Reads reads();

  /** SQL for where the ASCII text begins in the column of bytes: 1 is the first, 0 is nowhere. */
  String place(String text, String column);

  /** SQL that makes the transaction write over the bytes it erases, where that is to be asked. */
  Optional<String> writeOver();

  /** Rates counted with other nodes, where there may be any. */
  Optional<RateLimits> rateLimits(InstantSource clock);

  /** Begins to hear of the changes other nodes make. */
  void follow(SqlChangeFeed feed);

  /** Whether this node hears of what other nodes change. */
  boolean hears();

  @Override
  void close();

  static void migrate(DataSource source, String folder) {
    try {
      Flyway.configure()
          .dataSource(source)
          .locations("classpath:migrations/" + folder)
          .javaMigrations(new CommitEarlierRecords())
          .table("schema_history")
          .load()
          .migrate();
    } catch (FlywayException e) {
      throw new StoreFault("The database could not be brought up to date: " + e.getMessage(), e);
    }
  }

  static HikariDataSource pool(DataSource source, int size) {
    return pool(source, size, "store-readers", true);
  }

  static HikariDataSource pool(DataSource source, int size, String name, boolean readOnly) {
    var config = new HikariConfig();
    config.setDataSource(source);
    config.setPoolName(name);
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.setReadOnly(readOnly);
    config.setConnectionTimeout(2_000);
    config.setInitializationFailTimeout(-1); // whoever opens has just connected
    return new HikariDataSource(config);
  }
}
