package dev.safeconduct.hook;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.Permissions;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.verify.Subject;
import dev.safeconduct.verify.TemplateChain;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a passport's owner has set for hooks; an instance has no more than its templates.
 *
 * @param servers addresses of MCP servers by name
 * @param tools capabilities or packs of tools that the agent's table does not list; {@code none}
 *     for a tool that needs no permission
 * @param autoApprove capabilities for which an allow also takes the place of the user's consent
 * @param names every name of an MCP server that the passport tells
 */
record HookSettings(
    JsonObject servers, JsonObject tools, Set<String> autoApprove, SequencedSet<String> names) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]+");
  private static final String MCP = "mcp.tool.execute";

  static HookSettings of(Subject subject) {
    JudgedPassport passport = subject.passport();
    JsonObject hooks = hooks(passport);
    JsonObject servers = hooks.child("servers");
    JsonObject tools = hooks.child("tools");
    Set<String> approved = approved(hooks);
    for (TemplateChain.Template template : subject.chain().templates()) {
      JsonObject above = hooks(template.passport());
      servers = common(servers, above.child("servers"));
      tools = common(tools, above.child("tools"));
      approved.retainAll(approved(above));
    }
    SequencedSet<String> names = new LinkedHashSet<>(servers.names());
    Permissions permissions = passport.permissions();
    Stream.concat(
            permissions.mcp().servers().stream(),
            permissions
                .limits()
                .object(MCP)
                .flatMap(limits -> limits.array("allowed_servers"))
                .stream()
                .flatMap(JsonArray::strings))
        .map(entry -> entry.startsWith("mcp:") ? entry.substring("mcp:".length()) : entry)
        .filter(entry -> NAME.matcher(entry).matches())
        .forEach(names::add);
    return new HookSettings(servers, tools, approved, names);
  }

  /** Returns the address of the server of that name. */
  Optional<String> address(String server) {
    return servers.string(server);
  }

  private static JsonObject hooks(JudgedPassport passport) {
    return passport.document().child("hooks");
  }

  private static Set<String> approved(JsonObject hooks) {
    return hooks.list("auto_approve").strings().collect(Collectors.toSet());
  }

  private static JsonObject common(JsonObject own, JsonObject above) {
    JsonObject.Builder both = JsonObject.builder();
    own.forEach((name, value) -> {
      JsonValue theirs = above.get(name);
      if (Objects.equals(theirs, value)) {
        both.put(name, value);
      }
    });
    return both.build();
  }
}
