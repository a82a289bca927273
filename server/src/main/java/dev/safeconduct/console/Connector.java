package dev.safeconduct.console;

/**
 * What asks Safeconduct on an agent's behalf: the hook of a coding agent, or the MCP gateway.
 *
 * @param id as the commands spell it
 * @param preset the preset of its new passports
 */
public record Connector(String id, String name, String preset) {
  static final Connector GATEWAY = new Connector("mcp-gateway", "MCP gateway", "mcp");

  private static final String LOCAL = "http://127.0.0.1:8080";

  /**
   * The commands that connect it, for a POSIX shell. None contains the key.
   *
   * @param store reads the key from the terminal into a file that only its owner can read
   * @param start installs the hook, or starts the gateway
   * @param check finds out why nothing arrives; empty if there is no such command
   */
  public record Commands(String store, String start, String check) {}

  /** The coding agent of a preset. */
  static Connector codingAgent(String preset, String name) {
    return new Connector(
        preset.equals("github-copilot") ? "copilot" : preset,
        name.endsWith(" agent") ? name.substring(0, name.length() - 6) : name,
        preset);
  }

  public boolean isGateway() {
    return this.equals(GATEWAY);
  }

  /** Returns the commands for the passport of this agent. */
  Commands commands(String baseUrl, String agentId) {
    boolean local = baseUrl.equals(LOCAL);
    if (isGateway()) {
      return new Commands(
          store(),
          ("%sSAFECONDUCT_KEY_FILE=\"${XDG_CONFIG_HOME:-$HOME/.config}/safeconduct/mcp-gateway.key\" "
                  + "bin/safeconduct mcp-gateway --agent-id %s --server NAME -- COMMAND")
              .formatted(local ? "" : "SAFECONDUCT_URL=" + Curl.quoted(baseUrl) + " ", agentId),
          "");
    }
    return new Commands(
        store(),
        "bin/safeconduct hook install %s --user --agent-id %s%s"
            .formatted(id, agentId, local ? "" : " --url " + Curl.quoted(baseUrl)),
        "bin/safeconduct hook doctor " + id);
  }

  /** The old file is removed first, because a file keeps its mode when it is written again. */
  private String store() {
    return """
    sh -c 'umask 077; d=${XDG_CONFIG_HOME:-$HOME/.config}/safeconduct; mkdir -p "$d" && \
    rm -f "$d/FILE" && echo "Paste the key, then press Enter:" && head -n 1 >"$d/FILE"'\
    """
        .replace("FILE", id + ".key");
  }
}
