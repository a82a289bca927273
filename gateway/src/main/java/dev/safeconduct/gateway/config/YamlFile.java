package dev.safeconduct.gateway.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads a configuration file (YAML 1.2). */
final class YamlFile {
  private static final int MAX_BYTES = 1 << 20;

  private YamlFile() {}

  static Section read(Path file) throws ConfigException {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new ConfigException(file + " has more than 1 MiB.");
      }
      String text = Files.readString(file, StandardCharsets.UTF_8);
      return Section.of("", new Load(LoadSettings.builder().build()).loadFromString(text));
    } catch (IOException e) {
      throw new ConfigException(file + " cannot be read.");
    } catch (MarkedYamlEngineException e) {
      // The library's message quotes the line, which may hold a secret.
      String line = e.getProblemMark().map(mark -> ", line " + (mark.getLine() + 1)).orElse("");
      throw new ConfigException(file + line + " is not YAML: " + e.getProblem() + ".");
    } catch (YamlEngineException e) {
      throw new ConfigException(file + " is not one YAML document.");
    }
  }
}
