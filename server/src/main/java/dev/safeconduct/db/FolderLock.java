package dev.safeconduct.db;

import dev.safeconduct.config.OwnerOnly;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

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
      Path lock = folder.resolve("lock");
      OwnerOnly.file(lock);
      FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
      if (tryLock(channel) == null) {
        channel.close();
        throw new StoreFault(
            "The data folder "
                + folder
                + " is in use by another Safeconduct process. Stop that one, or set DATA_DIR to"
                + " another folder; several nodes need PostgreSQL (DATABASE_URL).");
      }
      return new FolderLock(channel);
    } catch (IOException e) {
      throw new StoreFault("The data folder " + folder + " cannot be used: " + e.getMessage(), e);
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException _) {
      return null; // held by this process
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
