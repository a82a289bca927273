package dev.safeconduct.db;

import dev.safeconduct.config.FileFault;
import dev.safeconduct.config.OwnerOnly;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Locks a data folder to one process; the system releases the lock when the process ends. */
final class FolderLock implements AutoCloseable {
  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Locks the folder and creates it if necessary.
   *
   * @throws StoreFault when another process serves it, or it cannot be written
   */
  static FolderLock take(Path folder) {
    try {
      // Decisions reveal agents' actions, so only the owner can access a folder created here.
      OwnerOnly.make(folder);
      return new FolderLock(
          OwnerOnly.alone(folder.resolve("lock"))
              .orElseThrow(() ->
                  new StoreFault(
                      "The data folder "
                          + folder
                          + " is in use by another Safeconduct process. Stop that one, or set"
                          + " DATA_DIR to another folder; several nodes need PostgreSQL"
                          + " (DATABASE_URL).")));
    } catch (IOException e) {
      throw new StoreFault(
          "The data folder " + folder + " cannot be used: " + FileFault.shown(e), e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
