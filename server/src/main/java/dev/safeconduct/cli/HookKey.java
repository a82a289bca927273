package dev.safeconduct.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.safeconduct.config.FileFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The file with the API key that the hook sends; only its owner may read it. */
record HookKey(Path file) {
  /** Returns the file that the hook program reads: the named one, the agent's, or the common. */
  static HookKey of(@Nullable Path named, String agent, HookPlaces places) {
    Path own = places.keys().resolve(agent + ".key");
    return new HookKey(
        Optional.ofNullable(named)
            .or(() -> places.env().string("SAFECONDUCT_KEY_FILE").map(Path::of))
            .orElse(Files.exists(own) ? own : places.keys().resolve("key")));
  }

  /** Returns the key in the environment, which comes before all files but a named one. */
  static Optional<String> inEnvironment(HookCommandLine line, HookPlaces places) {
    return line.keyFile().isPresent()
        ? Optional.empty()
        : places.env().string("SAFECONDUCT_API_KEY");
  }

  /** Returns the key that the hook program sends; empty if there is none. */
  static Optional<String> sent(HookCommandLine line, HookPlaces places) {
    return inEnvironment(line, places)
        .or(of(line.keyFile().orElse(null), line.agent(), places)::read);
  }

  /**
   * Writes the key.
   *
   * @throws HookFault when the text is not a key or the file cannot be written
   */
  void store(String key) throws HookFault {
    if (key.isEmpty() || key.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new HookFault("The API key is empty or holds characters that no key has.");
    }
    try {
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null && !Files.isDirectory(folder)) {
        Files.createDirectories(
            folder,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      ConfigFile.replace(
          file, (key + "\n").getBytes(UTF_8), PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new HookFault(file + " cannot be written: " + FileFault.shown(e));
    }
  }

  /** Returns the key; empty if the file cannot be read. */
  Optional<String> read() {
    try {
      return Files.readString(file).lines().findFirst().map(String::strip);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /** Returns what is wrong with the file; empty if nothing is. */
  Optional<String> fault() {
    try {
      if (!Files.exists(file)) {
        return Optional.of(file + " does not exist");
      }
      boolean open =
          Files.getPosixFilePermissions(file).stream()
              .map(PosixFilePermission::name)
              .anyMatch(name -> !name.startsWith("OWNER_"));
      return open ? Optional.of(file + " may be read by others: chmod 600") : Optional.empty();
    } catch (IOException _) {
      return Optional.of(file + " cannot be read");
    }
  }
}
