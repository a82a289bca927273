package dev.safeconduct.store;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.io.TempDir;

class SqliteLogPartsTest extends LogPartsContract {
  @TempDir Path folder;

  @Override
  StoreConfig emptyStore() {
    return StoreConfig.sqlite(folder);
  }

  @Override
  Connection connection() throws Exception {
    return DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("safeconduct.db"));
  }
}
