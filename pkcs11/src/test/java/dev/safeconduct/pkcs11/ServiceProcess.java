package dev.safeconduct.pkcs11;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The packaged service in a process of its own, as {@code bin/safeconduct} starts it. */
final class ServiceProcess implements AutoCloseable {
  private static final String ADMIN_TOKEN = "the-admin-token-of-the-module-tests";
  private static final Pattern ADDRESS = Pattern.compile("answers on (http://\\S+)");

  private final Process process;
  private final URI base;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** What a command or a start that failed has said, and how it ended. */
  record Ended(int status, String said) {}

  /** An answer over HTTP. */
  record Answer(int status, String text, boolean retryAfter) {
    JsonObject json() {
      try {
        return Json.parseObject(text.getBytes(StandardCharsets.UTF_8));
      } catch (JsonFault e) {
        throw new AssertionError(text, e);
      }
    }

    String string(String member) {
      return json().string(member).orElseThrow(() -> new AssertionError(text));
    }
  }

  private ServiceProcess(Process process, URI base) {
    this.process = process;
    this.base = base;
  }

  /** Starts it on the data folder and waits until it answers. */
  static ServiceProcess start(Path data, Map<String, String> settings) throws IOException {
    Process process = run(withData(data, settings), "serve");
    var said = new StringBuilder();
    BufferedReader out = process.inputReader();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      said.append(line).append('\n');
      Matcher address = ADDRESS.matcher(line);
      if (address.find()) {
        Thread.ofVirtual().start(() -> out.lines().forEach(_ -> {}));
        return new ServiceProcess(process, URI.create(address.group(1)));
      }
    }
    throw new AssertionError("the service does not start: " + said);
  }

  /** What a start says that cannot serve. */
  static Ended refusedStart(Path data, Map<String, String> settings)
      throws IOException, InterruptedException {
    return ended(run(withData(data, settings), "serve"));
  }

  /** What a command says that ends by itself. */
  static Ended command(Map<String, String> settings, String... arguments)
      throws IOException, InterruptedException {
    return ended(run(settings, arguments));
  }

  private static Ended ended(Process process) throws IOException, InterruptedException {
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), said);
  }

  private static Map<String, String> withData(Path data, Map<String, String> settings)
      throws IOException {
    var all = new HashMap<>(settings);
    all.put("DATA_DIR", Files.createDirectories(data).toString());
    all.put("PORT", "0");
    all.put("BIND", "127.0.0.1");
    all.put("ADMIN_TOKEN", ADMIN_TOKEN);
    return all;
  }

  private static Process run(Map<String, String> settings, String... arguments) throws IOException {
    var command = new ArrayList<>(List.of("bin/safeconduct"));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(settings);
    return builder.start();
  }

  Answer get(String path) {
    return send("GET", path, "");
  }

  Answer post(String path, JsonObject body) {
    return send("POST", path, Json.text(body));
  }

  private Answer send(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(base.resolve(path))
            .header("Authorization", "Bearer " + ADMIN_TOKEN)
            .header("Content-Type", "application/json")
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> answer =
          client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      return new Answer(
          answer.statusCode(),
          answer.body(),
          answer.headers().firstValue("Retry-After").isPresent());
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Hosts a passport that may run {@code ls}; the answer is its agent. */
  String host() {
    String agent = "ap_" + UUID.randomUUID().toString().replace("-", "");
    Answer hosted =
        send(
            "POST",
            "/api/passports",
            """
            {"agent_id": "%s", "name": "Tester", "status": "active", "assurance_level": "L2",
             "capabilities": [{"id": "system.command.execute"}], "regions": ["US"],
             "limits": {"system.command.execute": {"allowed_commands": ["ls"]}}}
            """
                .formatted(agent));
    assertThat(hosted.status()).as(hosted.text()).isEqualTo(201);
    return agent;
  }

  private static JsonObject question(String agent) {
    return JsonObject.builder()
        .put("context", JsonObject.builder().put("agent_id", agent).put("command", "ls").build())
        .build();
  }

  /** Asks for a decision about the agent. */
  Answer ask(String agent) {
    return post("/api/verify/policy/system.command.execute.v1", question(agent));
  }

  /** Asks for one decision as a batch. */
  Answer askInBatch(String agent) {
    return send(
        "POST",
        "/api/verify/batch",
        "{\"evaluations\": ["
            + Json.text(
                question(agent).with("policy_id", new JsonString("system.command.execute.v1")))
            + "]}");
  }

  /** Gives the purpose a new key; the answer is its {@code kid}. */
  String rotate(String purpose) {
    Answer rotated =
        post(
            "/api/admin/signing-keys/rotate", JsonObject.builder().put("purpose", purpose).build());
    assertThat(rotated.status()).as(rotated.text()).isEqualTo(201);
    return rotated.string("kid");
  }

  void revoke(String kid) {
    Answer revoked =
        post(
            "/api/admin/signing-keys/" + kid + "/revoke",
            JsonObject.builder().put("reason", "It leaked.").build());
    assertThat(revoked.status()).as(revoked.text()).isEqualTo(200);
  }

  /** Asks, checks the receipt by the published keys, and answers the {@code kid} that signed. */
  String signed(String agent, Path folder) throws IOException, InterruptedException {
    Answer decision = ask(agent);
    assertThat(decision.status()).as(decision.text()).isEqualTo(200);
    Path receipt = Files.writeString(folder.resolve("decision.json"), decision.text());
    Path keys = Files.writeString(folder.resolve("jwks.json"), get("/jwks.json").text());
    assertThat(checked(receipt, keys)).contains("ok:").doesNotContain("FAULT");
    return decision.string("kid");
  }

  /** What {@code verify-receipt} says of the file. */
  static String checked(Path file, Path keys) throws IOException, InterruptedException {
    return command(Map.of(), "verify-receipt", file.toString(), "--keys", keys.toString()).said();
  }

  /** Ends it as an operator does, and waits. */
  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
