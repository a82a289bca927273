package dev.safeconduct.store;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

class SqliteConcurrencyTest extends ConcurrencyContract {
  @TempDir Path folder;

  @Override
  StoreConfig emptyStore() {
    return StoreConfig.sqlite(folder);
  }

  @Override
  List<Store> nodes() {
    return List.of(store());
  }
}
