package dev.safeconduct.gateway.config;

import dev.safeconduct.gateway.rpc.MessageMemory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a gateway. The environment is asked for what the file does not say; keys are only
 * in the environment or in files.
 *
 * @param service the service's address
 * @param agentId the passport of clients without one of their own; null if there is none
 * @param timeout the longest time for a decision; after it the call is refused
 * @param denyAsError whether a denied call is a JSON-RPC error and not a result with {@code
 *     isError}
 * @param pins the file of pinned tools; null if tools are not pinned
 * @param maxMessageBytes the longest message
 * @param servers by name
 * @param http of the HTTP front
 */
public record GatewayConfig(
    String service,
    @Nullable String agentId,
    Duration timeout,
    boolean denyAsError,
    @Nullable Path pins,
    int maxMessageBytes,
    Map<String, ServerConfig> servers,
    HttpConfig http) {
  private static final int DEFAULT_MESSAGE_BYTES = 4 << 20;

  /** Returns the settings of a file, or without one those of the environment alone. */
  static GatewayConfig read(@Nullable Path file, Map<String, String> environment)
      throws ConfigException {
    Section section = file == null ? Section.of("", Map.of()) : YamlFile.read(file);
    Section serverSections = section.section("servers");
    var servers = new LinkedHashMap<String, ServerConfig>();
    for (String name : serverSections.names()) {
      servers.put(name, ServerConfig.read(name, serverSections.section(name)));
    }
    var config =
        new GatewayConfig(
            or(section.text("service"), environment, "SAFECONDUCT_URL", "http://127.0.0.1:8080"),
            orNull(section.text("agent_id"), environment, "SAFECONDUCT_AGENT_ID"),
            timeout(section, environment),
            section.oneOf("deny_as", "result", "error").equals("error"),
            pins(section, environment),
            (int)
                section.number(
                    "max_message_bytes", DEFAULT_MESSAGE_BYTES, 1024, Integer.MAX_VALUE / 4),
            servers,
            HttpConfig.read(section.section("http")));
    section.end();
    return config;
  }

  /** Returns these settings with those of the command line. */
  GatewayConfig with(@Nullable String agent, @Nullable Boolean asError, @Nullable Path pinFile) {
    return new GatewayConfig(
        service,
        agent == null ? agentId : agent,
        timeout,
        asError == null ? denyAsError : asError,
        pinFile == null ? pins : pinFile,
        maxMessageBytes,
        servers,
        http);
  }

  /** Checks what only matters over HTTP. */
  GatewayConfig checkedForHttp() throws ConfigException {
    long least = MessageMemory.leastFor(maxMessageBytes);
    long memory = http.limits().memory();
    if (memory < least) {
      throw new ConfigException(
          "http.limits.memory_mib (%d) has no room for messages of max_message_bytes (%d), which need %d MiB."
              .formatted(memory >> 20, maxMessageBytes, (least + (1 << 20) - 1) >> 20));
    }
    return this;
  }

  private static Duration timeout(Section section, Map<String, String> environment)
      throws ConfigException {
    String text = or(section.text("timeout"), environment, "SAFECONDUCT_TIMEOUT", "5");
    if (!text.matches("[1-9][0-9]?")) {
      throw new ConfigException("timeout must be 1 to 99 seconds.");
    }
    return Duration.ofSeconds(Integer.parseInt(text));
  }

  private static @Nullable Path pins(Section section, Map<String, String> environment)
      throws ConfigException {
    String text = section.text("pins");
    if (text == null) {
      return defaultPins(environment);
    }
    if (text.isEmpty() || text.equals("true")) {
      throw new ConfigException("pins must be the path of a file, or off.");
    }
    return text.equals("off") || text.equals("false") ? null : Path.of(text);
  }

  static Path defaultPins(Map<String, String> environment) {
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    Path folder =
        state.isEmpty()
            ? Path.of(environment.getOrDefault("HOME", "."), ".local", "state")
            : Path.of(state);
    return folder.resolve("safeconduct").resolve("mcp-pins.json");
  }

  private static @Nullable String orNull(
      @Nullable String text, Map<String, String> environment, String name) {
    String found = text == null ? environment.get(name) : text;
    return found == null || found.isEmpty() ? null : found;
  }

  private static String or(
      @Nullable String text, Map<String, String> environment, String name, String otherwise) {
    String found = orNull(text, environment, name);
    return found == null ? otherwise : found;
  }
}
