package dev.safeconduct.cli;

import dev.safeconduct.config.Env;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code mcp-server}: the service's MCP server over stdio, for hosts that start a process. */
@Command(
    name = "mcp-server",
    description = {
      "Serve the service's MCP tools on standard input and output: one JSON-RPC message a line,"
          + " forwarded to POST /mcp. The service needs MCP_SERVER=true.",
      "Environment: SAFECONDUCT_URL (default http://127.0.0.1:8080), SAFECONDUCT_API_KEY, and"
          + " SAFECONDUCT_AGENT_ID unless the key is a setup key."
    })
public final class McpServerCommand implements Callable<Integer> {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final int INTERNAL_ERROR = -32603;

  @Mixin private Terminal terminal;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Env env = terminal.env();
    String url = env.string("SAFECONDUCT_URL", "http://127.0.0.1:8080");
    HttpRequest.Builder request;
    try {
      request =
          HttpRequest.newBuilder(URI.create(url.replaceAll("/+$", "") + "/mcp"))
              .timeout(ANSWER)
              .header("Content-Type", "application/json")
              .header(
                  "X-API-Key",
                  env.string("SAFECONDUCT_API_KEY").orElseThrow(IllegalArgumentException::new));
      env.string("SAFECONDUCT_AGENT_ID").ifPresent(id -> request.header("Safeconduct-Agent", id));
    } catch (IllegalArgumentException _) {
      terminal
          .err()
          .println(
              "Set SAFECONDUCT_API_KEY to an API key, SAFECONDUCT_URL to the service's http or"
                  + " https address, and SAFECONDUCT_AGENT_ID to an agent id.");
      return 2;
    }
    var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (!line.isBlank()) {
          Optional<String> answer = answer(client, request, line);
          answer.ifPresent(out::println);
          out.flush();
        }
      }
    }
    return 0;
  }

  /** Returns the line to answer with; empty for a notification. */
  private static Optional<String> answer(HttpClient client, HttpRequest.Builder common, String line)
      throws InterruptedException {
    JsonObject message = message(line.getBytes(StandardCharsets.UTF_8));
    HttpRequest.Builder request = common.copy().POST(BodyPublishers.ofString(line));
    metadata(message, request);
    String fault;
    try {
      HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
      JsonObject body = message(response.body());
      if (body.has("jsonrpc")) {
        return Optional.of(Json.text(body));
      }
      if (response.statusCode() == 202) {
        return Optional.empty();
      }
      fault =
          body.string("message")
              .orElse("The service answered with the status " + response.statusCode() + ".");
    } catch (IOException e) {
      fault = "No answer from " + request.build().uri() + "; is the service running?";
    }
    @Nullable JsonValue id = message.get("id");
    return id == null
        ? Optional.empty()
        : Optional.of(
            Json.text(
                JsonObject.builder()
                    .put("jsonrpc", "2.0")
                    .put("id", id)
                    .put(
                        "error",
                        JsonObject.builder()
                            .put("code", INTERNAL_ERROR)
                            .put("message", fault)
                            .build())
                    .build()));
  }

  private static JsonObject message(byte[] text) {
    try {
      return text.length == 0 ? JsonObject.EMPTY : Json.parseObject(text);
    } catch (JsonFault _) {
      return JsonObject.EMPTY; // The service says what is wrong with the line.
    }
  }

  /** Adds the headers that repeat members of the body from revision 2026-07-28 on. */
  private static void metadata(JsonObject message, HttpRequest.Builder request) {
    JsonObject params = message.child("params");
    Optional<String> version =
        params
            .object("_meta")
            .flatMap(meta -> meta.string("io.modelcontextprotocol/protocolVersion"));
    if (version.isEmpty()) {
      return;
    }
    request.setHeader("MCP-Protocol-Version", coded(version.get()));
    message.string("method").ifPresent(name -> request.setHeader("Mcp-Method", coded(name)));
    params
        .string("name")
        .or(() -> params.string("uri"))
        .ifPresent(name -> request.setHeader("Mcp-Name", coded(name)));
  }

  private static String coded(String value) {
    return value.matches("[!-~]([ -~]*[!-~])?") && !value.startsWith("=?base64?")
        ? value
        : "=?base64?"
            + Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))
            + "?=";
  }
}
