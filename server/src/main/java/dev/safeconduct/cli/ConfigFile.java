package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.safeconduct.config.FileFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A configuration file of an agent, with a backup beside it. A change is written to a new file and
 * renamed, so that the agent reads the old text or the new one.
 */
final class ConfigFile {
  private static final String BACKUP = ".before-safeconduct";
  private static final long MOST_BYTES = 4L << 20;

  /** Folders that an installation makes for its own file. */
  private static final Set<String> OWN_FOLDERS = Set.of("hooks", "safeconduct");

  private static final String MARK = "\ufeff";

  private final Path shown;
  private final Path real;
  private final Optional<String> text;
  private final boolean marked;

  private ConfigFile(Path shown, Path real, Optional<String> decoded) {
    this.shown = shown;
    this.real = real;
    marked = decoded.filter(all -> all.startsWith(MARK)).isPresent();
    text = decoded.map(all -> marked ? all.substring(1) : all);
  }

  /**
   * Reads the file, which need not exist. Symbolic links are followed.
   *
   * @throws HookFault when it is not a text file of a plausible size, or a link leads out of the
   *     project
   */
  static ConfigFile read(Path path, @Nullable Path project) throws HookFault {
    try {
      Path real = real(path);
      if (project != null && !real.startsWith(project.toRealPath())) {
        throw new HookFault(path + " is reached through a link that leads out of the project");
      }
      if (!Files.exists(real)) {
        return new ConfigFile(path, real, Optional.empty());
      }
      if (!Files.isRegularFile(real) || Files.size(real) > MOST_BYTES) {
        throw new HookFault(path + " is not a configuration file");
      }
      return new ConfigFile(path, real, Optional.of(decoded(Files.readAllBytes(real))));
    } catch (CharacterCodingException e) {
      throw new HookFault(path + " is not UTF-8 text");
    } catch (IOException e) {
      throw fault("cannot be read", path, e);
    }
  }

  private static String decoded(byte[] bytes) throws CharacterCodingException {
    return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  /** Returns the path without links; the last parts need not exist. */
  private static Path real(Path path) throws IOException, HookFault {
    if (Files.exists(path)) {
      return path.toRealPath();
    }
    if (Files.isSymbolicLink(path)) {
      throw new HookFault(path + " is a symbolic link to a file that does not exist");
    }
    Path parent = path.getParent();
    return parent == null ? path : real(parent).resolve(path.getFileName());
  }

  private static HookFault fault(String what, Path path, IOException e) {
    return new HookFault(path + " " + what + ": " + FileFault.shown(e));
  }

  Path path() {
    return shown;
  }

  /** Returns the file without links. */
  Path target() {
    return real;
  }

  /** Returns the text without a byte order mark; empty if there is no file. */
  Optional<String> text() {
    return text;
  }

  Path backupPath() {
    return real.resolveSibling(real.getFileName() + BACKUP);
  }

  /** Returns the text of the backup; empty if there is none that can be read. */
  Optional<String> backup() {
    try {
      return Optional.of(decoded(Files.readAllBytes(backupPath())))
          .map(all -> all.startsWith(MARK) ? all.substring(1) : all);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /**
   * Writes the new text, and a backup unless there was no file before.
   *
   * @throws HookFault when the folder or the file cannot be written
   */
  void write(String next, @Nullable String before) throws HookFault {
    try {
      Files.createDirectories(real.getParent());
      if (before != null) {
        replace(backupPath(), before);
      } else {
        Files.deleteIfExists(backupPath());
      }
      replace(real, next);
    } catch (IOException e) {
      throw fault("cannot be written", shown, e);
    }
  }

  /**
   * Puts the text from before the installation back, or removes the file if there was none.
   *
   * @throws HookFault when the folder or the file cannot be written
   */
  void restore(@Nullable String before) throws HookFault {
    try {
      if (before != null) {
        replace(real, before);
      } else {
        Files.deleteIfExists(real);
      }
      Files.deleteIfExists(backupPath());
      removeOwnFolders(real.getParent());
    } catch (IOException e) {
      throw fault("cannot be written", shown, e);
    }
  }

  private static void removeOwnFolders(@Nullable Path folder) throws IOException {
    if (folder != null
        && OWN_FOLDERS.contains(String.valueOf(folder.getFileName()))
        && isEmpty(folder)) {
      Files.delete(folder);
      removeOwnFolders(folder.getParent());
    }
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }

  private void replace(Path file, String content) throws IOException {
    Set<PosixFilePermission> mode =
        text.isPresent()
            ? Files.getPosixFilePermissions(real)
            : PosixFilePermissions.fromString("rw-r--r--");
    replace(file, ((marked ? MARK : "") + content).getBytes(UTF_8), mode);
  }

  /** Puts a file with this content and mode in place of the file at the path, if there is one. */
  static void replace(Path file, byte[] content, Set<PosixFilePermission> mode) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    Path fresh = Files.createTempFile(folder, ".safeconduct-", ".tmp"); // only for its owner
    try {
      try (FileChannel out = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
        Files.setPosixFilePermissions(fresh, mode);
        if (Files.exists(file)) {
          Files.setOwner(fresh, Files.getOwner(file)); // root may edit somebody's file
        }
        out.force(true);
      }
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
        entries.force(true);
      }
    } finally {
      Files.deleteIfExists(fresh);
    }
  }
}
