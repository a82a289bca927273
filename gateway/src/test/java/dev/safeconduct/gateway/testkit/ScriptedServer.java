package dev.safeconduct.gateway.testkit;

import dev.safeconduct.gateway.rpc.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The files of an MCP server over stdio: {@code mcp-server.mjs}, its script, what it received. */
public final class ScriptedServer {
  private static final List<String> TOOLS =
      List.of(
          "echo",
          "environment",
          "raw",
          "progress",
          "ask",
          "ask_later",
          "input",
          "task",
          "wait",
          "changed",
          "exit",
          "hidden");

  private final Path folder;

  /** Makes the files in an empty folder. */
  public ScriptedServer(Path folder) throws IOException {
    this.folder = folder;
    try (InputStream program =
        Objects.requireNonNull(ScriptedServer.class.getResourceAsStream("/mcp-server.mjs"))) {
      Files.write(folder.resolve("server.mjs"), program.readAllBytes());
    }
    Files.writeString(folder.resolve("received"), "");
    var tools = new ArrayList<Map<String, ?>>();
    TOOLS.forEach(name -> tools.add(tool(name, "A tool.")));
    script(Map.of("tools", tools));
  }

  /** Returns a tool's definition. */
  public static Map<String, ?> tool(String name, String description) {
    return Map.of(
        "name", name, "description", description, "inputSchema", Map.of("type", "object"));
  }

  /** Sets what the server answers to {@code tools/list}. */
  public void script(Map<String, ?> script) throws IOException {
    Files.write(folder.resolve("script"), Json.write(script));
  }

  /** Returns its command. */
  public List<String> command() {
    return List.of("node", path("server.mjs"), path("received"), path("script"));
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  /** Returns the lines that the server has read. */
  public List<String> received() throws IOException {
    return Files.readAllLines(folder.resolve("received"));
  }

  /** Returns how many calls of tools reached the server. */
  public long calls() throws IOException {
    return received().stream().filter(line -> line.contains("\"tools/call\"")).count();
  }
}
