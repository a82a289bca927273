package dev.safeconduct.gateway.policy;

import dev.safeconduct.client.Canonical;
import dev.safeconduct.gateway.rpc.Json;
import dev.safeconduct.gateway.rpc.Message;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Remembers what each tool of each server was when it was first seen: a digest of its name,
 * description, schemas and annotations. A tool that changed is hidden and refused until the owner
 * accepts it. Several gateways can share the file.
 */
public final class Pins {
  private static final String PINNED = "pinned";
  private static final String SEEN = "seen";

  /** Members of a tool that neither a model nor a person reads as its description. */
  private static final Set<String> NOT_PINNED = Set.of("_meta", "icons");

  /**
   * How many tools of a server are pinned, and of which length: every gateway reads the whole file,
   * and a server must not make it too large for the others.
   */
  public static final int MAX_TOOLS = 2000;

  public static final int MAX_NAME_LENGTH = 256;

  private final Path file;

  /** Takes the file; it is made with the first tool. */
  public Pins(Path file) {
    this.file = file.toAbsolutePath();
  }

  /**
   * Returns the digest of a tool's definition.
   *
   * @throws IllegalArgumentException if it has no canonical form
   */
  public static String digest(Map<String, ? extends @Nullable Object> tool) {
    var pinned = new LinkedHashMap<String, @Nullable Object>(tool);
    pinned.keySet().removeAll(NOT_PINNED);
    return Canonical.digest(pinned);
  }

  /**
   * Pins the tools that are new, and returns those that changed or have no room.
   *
   * @param seen digests by name
   * @throws IOException if the file cannot be read or written; then no tool is known to be the same
   */
  public Set<String> changed(String server, Map<String, String> seen) throws IOException {
    Map<String, Map<String, @Nullable Object>> known = read().getOrDefault(server, Map.of());
    boolean isKnown =
        seen.entrySet().stream()
            .allMatch(tool -> {
              Map<String, @Nullable Object> pin = known.getOrDefault(tool.getKey(), Map.of());
              return tool.getValue().equals(pin.get(PINNED)) && !pin.containsKey(SEEN);
            });
    if (isKnown) {
      return Set.of();
    }
    var changed = new TreeSet<String>();
    update(all -> {
      Map<String, Map<String, @Nullable Object>> pins =
          all.computeIfAbsent(server, _ -> new TreeMap<>());
      seen.forEach((tool, digest) -> {
        boolean hasRoom = pins.size() < MAX_TOOLS && tool.length() <= MAX_NAME_LENGTH;
        if (!hasRoom && !pins.containsKey(tool)) {
          changed.add(tool);
          return;
        }
        Map<String, @Nullable Object> pin =
            pins.computeIfAbsent(tool, _ -> new TreeMap<>(Map.of(PINNED, digest)));
        if (digest.equals(pin.get(PINNED))) {
          pin.remove(SEEN);
        } else {
          pin.put(SEEN, digest);
          changed.add(tool);
        }
      });
      return all;
    });
    return changed;
  }

  /** Accepts the changed tools, of those named if any are; returns their names. */
  public Set<String> accept(String server, Set<String> tools) throws IOException {
    var accepted = new TreeSet<String>();
    update(all -> {
      all.getOrDefault(server, new TreeMap<>())
          .forEach((tool, pin) -> {
            Object seen = pin.get(SEEN);
            if (seen != null && (tools.isEmpty() || tools.contains(tool))) {
              pin.put(PINNED, seen);
              pin.remove(SEEN);
              accepted.add(tool);
            }
          });
      return all;
    });
    return accepted;
  }

  /** Returns the pins as lines of text: server, tool, digest, and whether it changed. */
  public String list() throws IOException {
    var lines = new StringBuilder();
    read()
        .forEach((server, tools) ->
            tools.forEach((tool, pin) ->
                lines
                    .append(server)
                    .append(' ')
                    .append(tool)
                    .append(' ')
                    .append(pin.get(PINNED))
                    .append(pin.containsKey(SEEN) ? " changed" : "")
                    .append('\n')));
    return lines.toString();
  }

  /** Server, tool, then the members of its pin. */
  private Map<String, Map<String, Map<String, @Nullable Object>>> read() throws IOException {
    var pins = new TreeMap<String, Map<String, Map<String, @Nullable Object>>>();
    if (!Files.exists(file)) {
      return pins;
    }
    try {
      if (!(Json.parse(Files.readAllBytes(file)) instanceof Map<?, ?> servers)) {
        throw new IOException(file + " is not a file of pins");
      }
      servers.forEach((server, tools) -> {
        var byName = new TreeMap<String, Map<String, @Nullable Object>>();
        Message.objectOrEmpty(tools)
            .forEach((tool, pin) -> byName.put(tool, new TreeMap<>(Message.objectOrEmpty(pin))));
        pins.put(String.valueOf(server), byName);
      });
      return pins;
    } catch (JacksonException e) {
      throw new IOException(file + " is not a file of pins", e);
    }
  }

  /** Changes the file under a lock, for its owner alone. */
  private void update(UnaryOperator<Map<String, Map<String, Map<String, @Nullable Object>>>> change)
      throws IOException {
    // The lock of a file is for processes; within one, a second attempt throws.
    synchronized (Pins.class) {
      write(change);
    }
  }

  private void write(UnaryOperator<Map<String, Map<String, Map<String, @Nullable Object>>>> change)
      throws IOException {
    Path folder = java.util.Objects.requireNonNull(file.getParent());
    Files.createDirectories(folder);
    var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(
                lockFile, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), owner);
        FileLock lock = channel.lock()) {
      assert lock.isValid();
      byte[] text = Json.write(change.apply(read()));
      Path next = Files.createTempFile(folder, "pins", ".json", owner);
      try {
        Files.write(next, text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(next);
      }
    }
  }
}
