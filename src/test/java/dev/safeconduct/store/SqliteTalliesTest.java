package dev.safeconduct.store;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteTalliesTest extends TalliesContract {
  @TempDir Path folder;

  @Override
  StoreConfig emptyStore() {
    return StoreConfig.sqlite(folder);
  }
}
