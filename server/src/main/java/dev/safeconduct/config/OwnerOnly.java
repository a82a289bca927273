package dev.safeconduct.config;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Makes files and folders that only their owner can read and write. */
public final class OwnerOnly {
  /** For files that are created. */
  public static final FileAttribute<Set<PosixFilePermission>> NEW_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");

  /** The beginnings of the names in a data folder. */
  private static final List<String> OWN =
      List.of(
          "safeconduct.",
          "lock",
          "log-seen",
          "master.key",
          "revoked-keys",
          "first-run",
          "deadletter",
          "outbox",
          "exports",
          "sqlite-");

  private OwnerOnly() {}

  /** Creates the file if it does not exist, and takes permissions from others if it does. */
  public static void file(Path file) throws IOException {
    try {
      Files.createFile(file, NEW_FILE);
    } catch (FileAlreadyExistsException _) {
      existing(file);
    }
  }

  /**
   * Opens the file, and creates it if necessary, for this process alone: until the channel is
   * closed, no other call gets it. To read it by another channel would end that.
   *
   * @return empty if it is open already
   */
  public static Optional<FileChannel> alone(Path file) throws IOException {
    file(file);
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        return Optional.of(channel);
      }
    } catch (OverlappingFileLockException _) {
      // by this process
    }
    channel.close();
    return Optional.empty();
  }

  /** Replaces the file's text. */
  public static void write(Path file, String text) throws IOException {
    file(file);
    Files.writeString(file, text);
  }

  /** Takes permissions from others if the file exists. */
  public static void existing(Path file) throws IOException {
    if (Files.isRegularFile(file) && isOpen(file)) {
      Files.setPosixFilePermissions(file, NEW_FILE.value());
    }
  }

  /**
   * Creates the data folder if it does not exist, and closes it to others if nothing else is in it.
   *
   * @return why others can still open it
   */
  public static Optional<String> folder(Path folder) throws IOException {
    make(folder);
    if (!isOpen(folder)) {
      return Optional.empty();
    }
    Optional<String> other = otherFile(folder);
    if (other.isPresent()) {
      return Optional.of(
          open(folder) + "It was left so because it also holds " + other.get() + ".");
    }
    try {
      Files.setPosixFilePermissions(folder, FOLDER);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(open(folder) + "It cannot be closed to them: " + e + ".");
    }
  }

  /** Creates the folder if it does not exist. */
  public static void make(Path folder) throws IOException {
    try {
      Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(FOLDER));
    } catch (FileAlreadyExistsException e) {
      throw new NotDirectoryException(e.getFile());
    }
  }

  private static String open(Path folder) throws IOException {
    return "Other users of this machine can open the data folder "
        + folder
        + " (mode "
        + PosixFilePermissions.toString(Files.getPosixFilePermissions(folder))
        + "); the files of the service in it are closed to them. Run chmod 700, or set DATA_DIR to"
        + " a folder of its own. ";
  }

  private static Optional<String> otherFile(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> OWN.stream().noneMatch(name::startsWith))
          .findFirst();
    }
  }

  /** Returns whether others have any permission. */
  public static boolean isOpen(Path path) throws IOException {
    return !FOLDER.containsAll(Files.getPosixFilePermissions(path));
  }
}
