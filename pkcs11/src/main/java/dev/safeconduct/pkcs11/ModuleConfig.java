package dev.safeconduct.pkcs11;

import dev.safeconduct.signing.ModuleFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a module is, of the file that configures the platform's PKCS #11 provider, so that both
 * speak to the same slot (JDK PKCS#11 Reference Guide, "SunPKCS11 Configuration").
 *
 * @param library the module's library
 * @param slot its id
 * @param slotListIndex its place among all slots, when no id is given
 */
record ModuleConfig(Path library, OptionalLong slot, int slotListIndex) {
  private static final Pattern LINE =
      Pattern.compile(
          "\\s*(library|slot|slotListIndex)\\s*=\\s*(?:\"([^\"]+)\"|([^\\s#\"]+))\\s*(?:#.*)?");

  static ModuleConfig read(Path file) throws ModuleFault {
    try {
      return parse(Files.readAllLines(file));
    } catch (IOException | IllegalArgumentException e) {
      throw new ModuleFault(file + " does not configure a security module: " + e.getMessage(), e);
    }
  }

  /**
   * Reads the lines.
   *
   * @throws IllegalArgumentException when a value does not fit
   */
  static ModuleConfig parse(List<String> lines) {
    Map<String, String> found = new HashMap<>();
    for (String line : lines) {
      Matcher match = LINE.matcher(line);
      if (match.matches()) {
        found.put(match.group(1), match.group(2) == null ? match.group(3) : match.group(2));
      }
    }
    String library = found.get("library");
    if (library == null || library.contains("${")) {
      throw new IllegalArgumentException(
          "it needs a line \"library = \" with the path of the module's library, spelled out");
    }
    String slot = found.get("slot");
    try {
      return new ModuleConfig(
          Path.of(library),
          slot == null ? OptionalLong.empty() : OptionalLong.of(Long.decode(slot)),
          Integer.decode(found.getOrDefault("slotListIndex", "0")));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("slot and slotListIndex are numbers", e);
    }
  }

  /** The slot's id among those that the library lists. */
  long choose(List<Long> slots) throws ModuleFault {
    if (slot.isPresent()) {
      return slot.getAsLong();
    }
    if (slotListIndex < 0 || slotListIndex >= slots.size()) {
      throw new ModuleFault(
          "The security module has " + slots.size() + " slots and none at " + slotListIndex + ".");
    }
    return slots.get(slotListIndex);
  }
}
