package dev.safeconduct.gateway.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an MCP server over HTTP.
 *
 * @param headers where the values of the headers are that every request to it carries
 * @param timeout how long it may take until its answer is there, or until its stream starts
 */
public record HttpServerConfig(Map<String, Secret> headers, Duration timeout) {
  /**
   * A header's value, from a variable or a file.
   *
   * @param prefix what comes before it, for example {@code Bearer} and a space
   */
  public record Secret(@Nullable String env, @Nullable Path file, String prefix) {
    /**
     * Reads the value.
     *
     * @throws ConfigException if it is not there
     */
    public String read(Map<String, String> environment) throws ConfigException {
      String value = env == null ? "" : environment.getOrDefault(env, "");
      if (file != null) {
        try {
          value = Files.readString(file).strip();
        } catch (IOException e) {
          throw new ConfigException(file + " cannot be read.");
        }
      }
      if (value.isEmpty() || value.chars().anyMatch(c -> c < 0x20 || c > 0x7e)) {
        throw new ConfigException((env == null ? file : env) + " has no value for a header.");
      }
      return prefix + value;
    }
  }

  static HttpServerConfig read(Section section) throws ConfigException {
    Section headers = section.section("headers");
    var secrets = new LinkedHashMap<String, Secret>();
    for (String name : headers.names()) {
      Section secret = headers.section(name);
      String env = secret.text("env");
      String file = secret.text("file");
      String prefix = secret.text("prefix");
      if ((env == null) == (file == null) || !name.matches("[A-Za-z0-9-]{1,100}")) {
        throw new ConfigException(headers.path(name) + " needs either env or file.");
      }
      secrets.put(
          name, new Secret(env, file == null ? null : Path.of(file), prefix == null ? "" : prefix));
      secret.end();
    }
    var _ = HttpConfig.url(section, "url");
    return new HttpServerConfig(
        secrets, Duration.ofSeconds(section.number("timeout_seconds", 300, 1, 86_400)));
  }
}
