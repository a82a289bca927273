package dev.safeconduct.gateway.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What {@code safeconduct mcp-gateway} was asked to do. */
public sealed interface CommandLine {
  /** What {@code --help} prints. */
  String USAGE =
      """
      Usage: safeconduct mcp-gateway --server NAME [OPTION…] -- COMMAND [ARGUMENT…]
             safeconduct mcp-gateway --server NAME --config FILE
             safeconduct mcp-gateway --http --config FILE
             safeconduct mcp-gateway pins list|accept [--pins FILE] [NAME [TOOL…]]

        --server NAME      the server's name; questions have it as mcp:NAME
        --config FILE      gateway.yaml
        --env NAME         a variable that the server gets; can be repeated
        --agent-id ID      the passport (SAFECONDUCT_AGENT_ID)
        --deny-as KIND     result (default) or error
        --pins FILE        where the digests of tools are kept

      SAFECONDUCT_URL is the service's address, SAFECONDUCT_API_KEY or the file that
      SAFECONDUCT_KEY_FILE names has the key, SAFECONDUCT_TIMEOUT the seconds for a decision.
      """;

  /** Print how it is used. */
  record Help() implements CommandLine {}

  /** Stand between this process's standard streams and one server. */
  record Stdio(GatewayConfig config, ServerConfig server) implements CommandLine {}

  /** Serve Streamable HTTP. */
  record Http(GatewayConfig config) implements CommandLine {}

  /** List what is pinned and what changed. */
  record ListPins(Path file) implements CommandLine {}

  /** Accept the changed tools of a server; all of them if none is named. */
  record AcceptPins(Path file, String server, List<String> tools) implements CommandLine {}

  /**
   * Parses the arguments.
   *
   * @throws ConfigException if they or the configuration file are not valid
   */
  static CommandLine parse(List<String> arguments, Map<String, String> environment)
      throws ConfigException {
    return arguments.contains("--help") && !arguments.contains("--")
        ? new Help()
        : new Parser(arguments, environment).parse();
  }

  /**
   * Returns the API key of the environment: {@code SAFECONDUCT_API_KEY}, or the first line of the
   * file that {@code SAFECONDUCT_KEY_FILE} names.
   *
   * @throws ConfigException if there is none, or others than the owner can read the file
   */
  static String apiKey(Map<String, String> environment) throws ConfigException {
    String key = environment.getOrDefault("SAFECONDUCT_API_KEY", "");
    String file = environment.getOrDefault("SAFECONDUCT_KEY_FILE", "");
    if (!key.isEmpty()) {
      return key;
    }
    if (file.isEmpty()) {
      throw new ConfigException("Set SAFECONDUCT_API_KEY or SAFECONDUCT_KEY_FILE.");
    }
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(Path.of(file));
      if (permissions.stream().anyMatch(each -> !each.name().startsWith("OWNER_"))) {
        throw new ConfigException(file + " can be read by others; run: chmod 600 " + file);
      }
      return Files.readString(Path.of(file)).strip().lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new ConfigException(file + " cannot be read.");
    }
  }

  /** The parser of one command line. */
  final class Parser {
    private final Map<String, String> environment;
    private final List<String> words = new ArrayList<>();
    private final List<String> command = new ArrayList<>();
    private final List<String> env = new ArrayList<>();
    private @Nullable String server;
    private @Nullable Path file;
    private @Nullable Path pins;
    private @Nullable String agent;
    private @Nullable Boolean asError;
    private boolean isHttp;

    private Parser(List<String> arguments, Map<String, String> environment) throws ConfigException {
      this.environment = environment;
      Iterator<String> rest = arguments.iterator();
      while (rest.hasNext()) {
        String word = rest.next();
        if (word.equals("--")) {
          rest.forEachRemaining(command::add);
        } else {
          read(word, rest);
        }
      }
    }

    private void read(String word, Iterator<String> rest) throws ConfigException {
      switch (word) {
        case "--server" -> server = value(word, rest);
        case "--config" -> file = Path.of(value(word, rest));
        case "--pins" -> pins = Path.of(value(word, rest));
        case "--env" -> env.add(value(word, rest));
        case "--agent-id" -> agent = value(word, rest);
        case "--http" -> isHttp = true;
        case "--deny-as" -> {
          String kind = value(word, rest);
          if (!Arrays.asList("result", "error").contains(kind)) {
            throw new ConfigException("--deny-as must be result or error.");
          }
          asError = kind.equals("error");
        }
        default -> {
          if (word.startsWith("-")) {
            throw new ConfigException(word + " is not a known option; --help lists them.");
          }
          words.add(word);
        }
      }
    }

    private static String value(String option, Iterator<String> rest) throws ConfigException {
      if (!rest.hasNext()) {
        throw new ConfigException(option + " needs a value.");
      }
      return rest.next();
    }

    private CommandLine parse() throws ConfigException {
      if (!words.isEmpty()) {
        return pinCommand();
      }
      GatewayConfig config = GatewayConfig.read(file, environment).with(agent, asError, pins);
      if (isHttp) {
        if (file == null || server != null || !command.isEmpty()) {
          throw new ConfigException("--http needs --config FILE, and no --server or command.");
        }
        return new Http(config.checkedForHttp());
      }
      if (server == null) {
        throw new ConfigException("--server NAME is missing; --help lists the options.");
      }
      if (config.agentId() == null) {
        throw new ConfigException("Set SAFECONDUCT_AGENT_ID, or give --agent-id ID.");
      }
      ServerConfig configured = config.servers().get(server);
      if (configured == null && command.isEmpty()) {
        throw new ConfigException("The command of the server is missing: -- COMMAND …");
      }
      return new Stdio(
          config,
          configured == null
              ? ServerConfig.ofCommand(server, command, env)
              : configured.with(command, env));
    }

    private CommandLine pinCommand() throws ConfigException {
      Path known = pins == null ? GatewayConfig.defaultPins(environment) : pins;
      if (words.equals(List.of("pins", "list"))) {
        return new ListPins(known);
      }
      if (words.size() > 2 && words.subList(0, 2).equals(List.of("pins", "accept"))) {
        return new AcceptPins(known, words.get(2), words.subList(3, words.size()));
      }
      throw new ConfigException("The commands are: pins list, pins accept NAME [TOOL…].");
    }
  }
}
