package dev.safeconduct.hook;

import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.text.Excerpt;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The agents, their tools and the files that hooks protect: {@code hooks.json}. */
public final class HookTables {
  private static final int MOST_NAME = 256;

  private final Map<String, HookAgent> agents;
  private final JsonObject packs;
  private final ProtectedFiles files;
  private final PolicyCatalog catalog;

  private HookTables(JsonObject source, PolicyCatalog catalog) {
    this.agents = HookAgent.readAll(source.object("agents").orElseThrow());
    this.packs = source.object("packs").orElseThrow();
    this.files = new ProtectedFiles(source.array("protected_files").orElseThrow());
    this.catalog = catalog;
  }

  public static HookTables builtIn(PolicyCatalog catalog) {
    return new HookTables(ReleaseFile.read("hooks.json"), catalog);
  }

  /** What the tables say about a tool's use. */
  sealed interface Mapped {
    /** Policies decide; every one must allow. */
    record Questions(List<Question> questions) implements Mapped {}

    /** The tool needs no permission. */
    record NoAction() implements Mapped {}

    /** Nothing is known of the tool. */
    record Unmapped(String why) implements Mapped {}
  }

  Optional<HookAgent> agent(String name) {
    return Optional.ofNullable(agents.get(name));
  }

  Optional<String> refusal(Question question, Optional<String> cwd) {
    return files.refusal(question, cwd);
  }

  /**
   * Returns what a tool's use means: by the agent's own table, else by the passport's, else as an
   * MCP tool.
   */
  Mapped actions(HookAgent agent, ToolCall call, HookSettings settings, String agentId) {
    String tool = call.tool();
    if (tool.length() > MOST_NAME) {
      return new Mapped.Unmapped("The tool's name is longer than " + MOST_NAME + " characters.");
    }
    if (agent.noAction().contains(tool)) {
      return new Mapped.NoAction();
    }
    List<ToolRow> rows = agent.rows(call);
    if (!rows.isEmpty()) {
      return questions(call, rows, settings, agentId);
    }
    Optional<String> owners = settings.tools().string(tool);
    if (owners.isPresent()) {
      return byOwner(owners.get(), call, settings, agentId);
    }
    Optional<JsonObject> joined = agent.joined();
    if (joined.isPresent() && tool.startsWith(joined.get().text("prefix"))) {
      return McpCalls.split(call, joined.get(), settings)
          .<Mapped>map(target ->
              new Mapped.Questions(
                  List.of(McpCalls.question(target, call.input(), call, settings))))
          .orElseGet(() -> new Mapped.Unmapped(Excerpt.of(tool) + " " + hint(joined.get())));
    }
    return new Mapped.Unmapped(
        "No policy is known for the tool "
            + Excerpt.of(tool)
            + "; the passport's owner can map it in hooks.tools.");
  }

  private static String hint(JsonObject joined) {
    return joined
        .string("hint")
        .orElse(
            "is no known tool and names no MCP server that the passport knows; its owner can list"
                + " the server in hooks.servers or in the allowed servers, or the tool in"
                + " hooks.tools.");
  }

  private static Mapped questions(
      ToolCall call, List<ToolRow> rows, HookSettings settings, String agentId) {
    List<Question> questions =
        rows.stream()
            .filter(row -> row.fits(call.input()))
            .flatMap(row -> Actions.of(call, row, settings, agentId).stream())
            .toList();
    return questions.isEmpty()
        ? new Mapped.Unmapped("No policy is known for this use of " + Excerpt.of(call.tool()) + ".")
        : new Mapped.Questions(questions);
  }

  /** {@code target}: a capability, a pack's id, or {@code none}. */
  private Mapped byOwner(String target, ToolCall call, HookSettings settings, String agentId) {
    if (target.equals("none")) {
      return new Mapped.NoAction();
    }
    String capability = target.endsWith(".v1") ? target.substring(0, target.length() - 3) : target;
    if (packs.get(capability) instanceof JsonObject row) {
      return questions(call, ToolRow.read(row), settings, agentId);
    }
    String pack =
        catalog.all().stream()
            .filter(each -> each.capabilities().contains(target))
            .map(each -> each.id().value())
            .findFirst()
            .orElse(target);
    return new Mapped.Questions(List.of(new Question(capability, pack, call.input())));
  }
}
