package dev.safeconduct.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** Keeps a data folder to one process; the system lets go of it when the process ends. */
final class FolderLock implements AutoCloseable {
  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Takes the folder, making it if need be.
   *
   * @throws StoreFault when another process serves it, or it cannot be written
   */
  static FolderLock take(Path folder) {
    try {
      // Decisions tell what agents do; a folder we make is its owner's alone.
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      FileChannel channel =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
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
      return null; // held by this very process
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
