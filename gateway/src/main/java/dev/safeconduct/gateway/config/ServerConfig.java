package dev.safeconduct.gateway.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One MCP server.
 *
 * @param name as clients and the owner call it: letters, digits and {@code . _ -}
 * @param command program and arguments of a server over stdio; empty for one over HTTP
 * @param env names of variables that the program gets besides the usual ones
 * @param url address of a server over HTTP; null for one over stdio
 * @param tools mappings of tools' arguments to further policies, by the tool's name
 * @param relayed methods of the server's own requests that reach the client
 * @param sendDecisionId whether a server over HTTP is told the decision's id in a header
 * @param http further settings of a server over HTTP
 */
public record ServerConfig(
    String name,
    List<String> command,
    List<String> env,
    @Nullable String url,
    Map<String, List<Mapping>> tools,
    Set<String> relayed,
    boolean sendDecisionId,
    HttpServerConfig http) {
  /** What a server may be called: the part of {@code mcp:NAME} in questions. */
  public static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /** Checks the parts. */
  public ServerConfig {
    command = List.copyOf(command);
    env = List.copyOf(env);
    tools = Map.copyOf(tools);
    relayed = Set.copyOf(relayed);
  }

  /** Returns a server over stdio without further settings. */
  public static ServerConfig ofCommand(String name, List<String> command, List<String> env)
      throws ConfigException {
    Section nothing = Section.of("", Map.of());
    return new ServerConfig(
            name,
            command,
            env,
            null,
            Map.of(),
            relayed(nothing),
            false,
            HttpServerConfig.read(nothing))
        .checked("--server");
  }

  /** Returns this server with another command and more variables. */
  public ServerConfig with(List<String> otherCommand, List<String> moreEnv) throws ConfigException {
    var variables = new ArrayList<>(env);
    variables.addAll(moreEnv);
    return new ServerConfig(
            name,
            otherCommand.isEmpty() ? command : otherCommand,
            variables,
            otherCommand.isEmpty() ? url : null,
            tools,
            relayed,
            sendDecisionId,
            http)
        .checked("--server");
  }

  static ServerConfig read(String name, Section section) throws ConfigException {
    Section tools = section.section("tools");
    var mappings = new LinkedHashMap<String, List<Mapping>>();
    for (String tool : tools.names()) {
      var questions = new ArrayList<Mapping>();
      for (Section question : tools.sections(tool)) {
        questions.add(Mapping.read(question));
      }
      mappings.put(tool, List.copyOf(questions));
    }
    var server =
        new ServerConfig(
            name,
            section.texts("command"),
            section.texts("env"),
            section.text("url"),
            mappings,
            relayed(section.section("server_requests")),
            section.flag("send_decision_id", false),
            HttpServerConfig.read(section));
    section.end();
    return server.checked(section.path("")).checkedTransport(section.path(""));
  }

  private static Set<String> relayed(Section switches) throws ConfigException {
    var relayed = new java.util.TreeSet<>(Set.of("ping"));
    addIfRelayed(switches, "elicitation", "relay", "elicitation/create", relayed);
    addIfRelayed(switches, "roots", "relay", "roots/list", relayed);
    addIfRelayed(switches, "sampling", "refuse", "sampling/createMessage", relayed);
    switches.end();
    return relayed;
  }

  private static void addIfRelayed(
      Section switches, String name, String usual, String method, Set<String> relayed)
      throws ConfigException {
    String other = usual.equals("relay") ? "refuse" : "relay";
    if (switches.oneOf(name, usual, other).equals("relay")) {
      relayed.add(method);
    }
  }

  private ServerConfig checked(String where) throws ConfigException {
    if (!NAME.matcher(name).matches()) {
      throw new ConfigException(
          where + ": a server's name has 1 to 100 letters, digits, dots, - and _.");
    }
    for (String variable : env) {
      if (!VARIABLE.matcher(variable).matches() || variable.startsWith("SAFECONDUCT_")) {
        throw new ConfigException(
            where
                + ": env names variables, none of them Safeconduct's; their values come from"
                + " the environment.");
      }
    }
    return this;
  }

  private ServerConfig checkedTransport(String where) throws ConfigException {
    if (command.isEmpty() == (url == null)) {
      throw new ConfigException(where + ": a server has either command or url.");
    }
    return this;
  }

  /**
   * Whether this is the name of a tool with mappings in another case. A server that does not care
   * about the case would run that tool, without their questions.
   */
  public boolean isOtherSpelling(String tool) {
    return !tools.containsKey(tool) && tools.keySet().stream().anyMatch(tool::equalsIgnoreCase);
  }

  /** Returns how questions name the server: {@code mcp:NAME} over stdio, else its address. */
  public String inQuestions() {
    return url == null ? "mcp:" + name : url;
  }
}
