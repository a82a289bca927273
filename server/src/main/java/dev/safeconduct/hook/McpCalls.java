package dev.safeconduct.hook;

import dev.safeconduct.decision.url.Url;
import dev.safeconduct.json.JsonObject;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/** Calls of MCP tools: which server and tool an event means. */
final class McpCalls {
  private static final Pattern OTHERS = Pattern.compile("[^A-Za-z0-9._-]");

  private McpCalls() {}

  /**
   * A server and a tool.
   *
   * @param url the server's address, where the event tells it
   * @param program what the event tells of a server without an https address: the program that the
   *     agent starts, or a socket
   */
  record Target(String server, String tool, Optional<String> url, Optional<String> program) {
    Target(String server, String tool, Optional<String> url) {
      this(server, tool, url, Optional.empty());
    }
  }

  /**
   * Returns what a joined name means. The server that the event names counts alone; without one,
   * the longest known name that fits. Empty if no server's name fits.
   *
   * @param joined how the agent joins names
   */
  static Optional<Target> split(ToolCall call, JsonObject joined, HookSettings settings) {
    String prefix = joined.text("prefix");
    String separator = joined.text("separator");
    if (!call.tool().startsWith(prefix)) {
      return Optional.empty();
    }
    Optional<String> server = joined.string("server").flatMap(call.whole()::text);
    Optional<String> tool = joined.string("tool").flatMap(call.whole()::text);
    Optional<String> url = joined.string("url").flatMap(call.whole()::text);
    Optional<String> program = joined.string("program").flatMap(call.whole()::first);
    if (server.isPresent() && tool.isPresent()) {
      return Optional.of(new Target(server.get(), tool.get(), url, program));
    }
    String rest = call.tool().substring(prefix.length());
    return (server.isPresent() ? server.stream() : settings.names().stream())
        .filter(name -> rest.startsWith(joined(name) + separator))
        .filter(name -> rest.length() > joined(name).length() + separator.length())
        .max(Comparator.comparingInt(String::length))
        .filter(_ -> !separator.isEmpty())
        .map(name ->
            new Target(
                name, rest.substring(joined(name).length() + separator.length()), url, program));
  }

  /** Returns a server's name as agents write it in a joined name. */
  private static String joined(String name) {
    return OTHERS.matcher(name).replaceAll("_");
  }

  /**
   * Returns the question about a call.
   *
   * @throws dev.safeconduct.error.ProblemException 400 if the event tells another address of the
   *     server than the passport: a project may give its server any name
   */
  static Question question(
      Target target, JsonObject arguments, ToolCall call, HookSettings settings) {
    Optional<String> known = settings.address(target.server());
    boolean isOther =
        target.url().map(url -> known.isPresent() && !same(known.get(), url)).orElse(false);
    boolean isLocal = known.isPresent() && target.url().isEmpty() && target.program().isPresent();
    if (isOther || isLocal) {
      throw Shape.wrong(
          isOther ? "url" : "command or tcp",
          "is not the address that the passport has for the MCP server " + target.server());
    }
    JsonObject.Builder context =
        JsonObject.builder()
            .put("server", known.or(target::url).orElseGet(() -> "mcp:" + joined(target.server())))
            .put("tool", target.tool())
            .put("parameters", arguments)
            .putIfPresent("session_id", call.session());
    return Question.of("mcp.tool.execute", context);
  }

  private static boolean same(String one, String other) {
    Optional<Url> address = Url.parse(FilePaths.withoutEnd(one, "/"), Url.MCP);
    return address.isPresent()
        && address.equals(Url.parse(FilePaths.withoutEnd(other, "/"), Url.MCP));
  }
}
