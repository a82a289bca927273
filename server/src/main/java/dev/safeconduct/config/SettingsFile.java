package dev.safeconduct.config;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.FailsafeSchema;

/**
 * Settings in a YAML 1.2 file: one mapping from variable names to values, with a list where a
 * variable has commas. Every scalar is read as its literal text, so that {@code 0600} and {@code
 * no} are not converted.
 */
final class SettingsFile {
  private static final int MOST_BYTES = 1 << 20;

  /** Reads scalars as text; a name without a value has the empty text. */
  private static final LoadSettings LOADING =
      LoadSettings.builder()
          .setSchema(new FailsafeSchema())
          .setTagConstructors(Map.of(Tag.NULL, _ -> ""))
          .build();

  private SettingsFile() {}

  /**
   * Returns the file's settings by name.
   *
   * @throws ConfigFault when it cannot be read, or with the names of all members that are not valid
   *     settings; never with a value
   */
  static Map<String, String> read(Path file) {
    Object document = load(file);
    if (document == null || document.equals("")) { // only comments
      return Map.of();
    }
    if (!(document instanceof Map<?, ?> members)) {
      throw new ConfigFault(List.of(file + " must hold NAME: value lines."));
    }
    var settings = new LinkedHashMap<String, String>();
    var faults = new ArrayList<String>();
    members.forEach((name, value) -> {
      String text = text(value);
      if (text == null) {
        faults.add(name + " in " + file + " must be one value, or a list of values.");
      } else {
        settings.put(String.valueOf(name), text);
      }
    });
    if (!faults.isEmpty()) {
      throw new ConfigFault(faults);
    }
    return settings;
  }

  private static @Nullable Object load(Path file) {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new ConfigFault(List.of(file + " is too long for a file of settings."));
      }
      return new Load(LOADING).loadFromString(Files.readString(file, StandardCharsets.UTF_8));
    } catch (MalformedInputException e) {
      throw new ConfigFault(List.of(file + " is not UTF-8."));
    } catch (IOException e) {
      throw new ConfigFault(List.of("The settings in " + file + " cannot be read."));
    } catch (MarkedYamlEngineException e) {
      // The library's message quotes the line, which may hold a secret.
      String line = e.getProblemMark().map(mark -> ", line " + (mark.getLine() + 1)).orElse("");
      throw new ConfigFault(List.of(file + line + " is not YAML: " + e.getProblem() + "."));
    } catch (YamlEngineException e) {
      throw new ConfigFault(
          List.of(file + " is not one YAML document, or repeats lists by too many aliases (*)."));
    }
  }

  /** Returns the value as text, or null when it is neither a scalar nor a list of scalars. */
  private static @Nullable String text(@Nullable Object value) {
    return switch (value) {
      case null -> "";
      case String text -> text;
      case List<?> list when list.stream().allMatch(String.class::isInstance) ->
          list.stream().map(String.class::cast).collect(Collectors.joining(","));
      default -> null;
    };
  }
}
