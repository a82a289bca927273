package dev.safeconduct.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.gateway.rpc.InvalidMessage;
import dev.safeconduct.gateway.rpc.Message;
import dev.safeconduct.gateway.testkit.Answers;
import dev.safeconduct.gateway.testkit.RunningService;
import dev.safeconduct.gateway.testkit.ScriptedServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stdio wrapper as a process: what its server gets, and what is left when it ends. */
class ProcessTest {
  private static final long PATIENCE_SECONDS = 30;

  @TempDir private Path folder = Path.of(".");
  private @Nullable ScriptedServer scripted;
  private @Nullable Process started;

  @BeforeEach
  void script() throws IOException {
    scripted = new ScriptedServer(folder);
  }

  @AfterEach
  void end() {
    if (started != null) {
      started.descendants().forEach(ProcessHandle::destroyForcibly);
      started.destroyForcibly();
    }
  }

  private Process start(String... arguments) throws IOException {
    return startWith(RunningService.shared().url(), arguments);
  }

  private Process startWith(String url, String... arguments) throws IOException {
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m", // as bin/safeconduct-mcp-gateway
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(arguments));
    RunningService service = RunningService.shared();
    var builder = new ProcessBuilder(command).redirectError(folder.resolve("errors").toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "SAFECONDUCT_URL",
                url,
                "SAFECONDUCT_API_KEY",
                service.key(),
                "SAFECONDUCT_AGENT_ID",
                service.agent(
                    Map.of(
                        "allowed_servers",
                        List.of("mcp:test"),
                        "allowed_tools",
                        List.of("*"),
                        "max_calls_per_minute",
                        1000)),
                "A_SECRET",
                "of the user",
                "WANTED",
                "by the server"));
    started = builder.start();
    return started;
  }

  private String[] wrapping(String... command) {
    var arguments =
        new ArrayList<>(
            List.of(
                "--server",
                "test",
                "--env",
                "WANTED",
                "--pins",
                folder.resolve("pins").toString(),
                "--"));
    arguments.addAll(List.of(command));
    return arguments.toArray(String[]::new);
  }

  private String[] server() {
    return wrapping(Objects.requireNonNull(scripted).command().toArray(String[]::new));
  }

  private static Message ask(Process gateway, BufferedReader answers, String tool)
      throws IOException, InvalidMessage {
    return ask(gateway, answers, Map.of("name", tool));
  }

  private static Message ask(Process gateway, BufferedReader answers, Map<String, ?> params)
      throws IOException, InvalidMessage {
    gateway
        .getOutputStream()
        .write(
            (new String(Message.request(1L, "tools/call", params).bytes(), StandardCharsets.UTF_8)
                    + "\n")
                .getBytes(StandardCharsets.UTF_8));
    gateway.getOutputStream().flush();
    String line = Objects.requireNonNull(line(gateway, answers), "the gateway ended");
    return Message.parse(line.getBytes(StandardCharsets.UTF_8));
  }

  private static @Nullable String line(Process gateway, BufferedReader answers) throws IOException {
    var read = new FutureTask<@Nullable String>(answers::readLine);
    Thread.ofPlatform().daemon().start(read);
    try {
      return read.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      gateway.destroyForcibly(); // The reader cannot be closed while it reads.
      throw new IOException("the gateway does not answer", e);
    }
  }

  private static void assertEnds(Process process, int status) throws InterruptedException {
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(status);
  }

  @Test
  void theServerGetsFewVariablesAndNoKey() throws Exception {
    Process gateway = start(server());
    try (BufferedReader answers = gateway.inputReader(StandardCharsets.UTF_8)) {
      Set<String> names = Set.of(Answers.text(ask(gateway, answers, "environment")).split(" "));
      assertThat(names).contains("PATH", "WANTED");
      assertThat(names).doesNotContain("A_SECRET");
      assertThat(names).noneMatch(name -> name.startsWith("SAFECONDUCT"));
      gateway.getOutputStream().close();
      assertEnds(gateway, 0);
    }
  }

  @Test
  void aClientWithoutSessionsCallsAServerWithThem() throws Exception {
    Process gateway = start(server());
    Map<String, ?> meta =
        Map.of(
            "io.modelcontextprotocol/protocolVersion",
            "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities",
            Map.of());
    try (BufferedReader answers = gateway.inputReader(StandardCharsets.UTF_8)) {
      Message answer = ask(gateway, answers, Map.of("name", "echo", "_meta", meta));
      assertThat(answer.result()).containsEntry("resultType", "complete");
      assertThat(Answers.meta(answer)).containsKey("safeconduct/decision_id");
    }
  }

  @Test
  void aSignalEndsTheServerAndWhatItStarted() throws Exception {
    Process gateway = leavingAProcessBehind();
    List<ProcessHandle> left = gateway.descendants().toList();
    assertThat(left).hasSizeGreaterThanOrEqualTo(2);
    gateway.destroy();
    assertThat(gateway.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertEnded(left);
  }

  @Test
  void theEndOfTheClientEndsTheServerAndWhatItStarted() throws Exception {
    Process gateway = leavingAProcessBehind();
    List<ProcessHandle> left = gateway.descendants().toList();
    gateway.getOutputStream().close();
    assertEnds(gateway, 0);
    assertEnded(left);
  }

  private Process leavingAProcessBehind() throws IOException, InvalidMessage {
    String program = String.join(" ", Objects.requireNonNull(scripted).command());
    Process gateway = start(wrapping("sh", "-c", "sleep 1000 & exec " + program));
    BufferedReader answers = gateway.inputReader(StandardCharsets.UTF_8);
    assertThat(Answers.word(ask(gateway, answers, "echo"))).isEqualTo("ok");
    return gateway;
  }

  private static void assertEnded(List<ProcessHandle> processes) throws Exception {
    for (ProcessHandle process : processes) {
      CompletableFuture<ProcessHandle> end = process.onExit();
      assertThat(end.get(PATIENCE_SECONDS, TimeUnit.SECONDS).isAlive()).isFalse();
    }
  }

  @Test
  void theGatewayEndsWithItsServer() throws Exception {
    Process gateway = start(server());
    try (BufferedReader answers = gateway.inputReader(StandardCharsets.UTF_8)) {
      assertThat(Answers.word(ask(gateway, answers, "exit"))).isEqualTo("error -32603");
      assertEnds(gateway, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyCallIsDeniedWhileTheServiceHangs(boolean isCancelled) throws Exception {
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Process gateway = startWith("http://127.0.0.1:" + silent.getLocalPort(), server());
      OutputStream toGateway = gateway.getOutputStream();
      String text = "y".repeat(3 << 20);
      for (int i = 1; i <= 60; i++) {
        write(toGateway, Message.request(i, "tools/call", Map.of("name", "echo", "text", text)));
        if (isCancelled) {
          write(toGateway, Message.notification("notifications/cancelled", Map.of("requestId", i)));
        }
      }
      write(toGateway, Message.request(0, "ping", Map.of()));
      var answered = new HashMap<Object, Message>();
      try (BufferedReader answers = gateway.inputReader(StandardCharsets.UTF_8)) {
        while (isCancelled ? !answered.containsKey(0L) : answered.size() <= 60) {
          String line = Objects.requireNonNull(line(gateway, answers), "the gateway ended");
          Message answer = Message.parse(line.getBytes(StandardCharsets.UTF_8));
          answered.put(Objects.requireNonNull(answer.id()), answer);
        }
      }
      assertThat(answered.remove(0L)).isNotNull();
      assertThat(answered.values())
          .allSatisfy(answer -> assertThat(Answers.word(answer)).matches("error -326(00|03)"));
    }
  }

  /** Many servers do not answer what was cancelled, and the gateway waits for it. */
  @Test
  void cancelledRequestsWithoutAResponseDoNotFillTheMemory() throws Exception {
    Process gateway = start(wrapping("sh", "-c", "exec cat 3>&1 > /dev/null"));
    OutputStream toGateway = gateway.getOutputStream();
    String text = "y".repeat(3 << 20);
    for (int i = 1; i <= 40; i++) {
      write(toGateway, Message.request(i, "ping", Map.of("text", text)));
      write(toGateway, Message.notification("notifications/cancelled", Map.of("requestId", i)));
      write(toGateway, Message.request(-i, "nothing", Map.of()));
    }
    try (BufferedReader answers = gateway.inputReader(StandardCharsets.UTF_8)) {
      Object last = null;
      while (!Objects.equals(last, -40L)) {
        String line = Objects.requireNonNull(line(gateway, answers), "the gateway ended");
        last = Message.parse(line.getBytes(StandardCharsets.UTF_8)).id();
      }
    }
  }

  private static void write(OutputStream out, Message message) throws IOException {
    out.write(message.bytes());
    out.write('\n');
    out.flush();
  }

  @Test
  void theServersErrorsAreRelayedAndCutAndSafeForATerminal() throws Exception {
    Process gateway =
        start(
            wrapping(
                "sh",
                "-c",
                "printf 'a\\033[31mb\\n' >&2; printf '%9000d\\n' 1 >&2; cat >/dev/null"));
    gateway.getOutputStream().close();
    assertThat(gateway.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    List<String> errors = Files.readAllLines(folder.resolve("errors"));
    assertThat(errors).contains("safeconduct: [test] a?[31mb");
    assertThat(errors).anyMatch(line -> line.endsWith(" …") && line.length() < 4200);
  }

  @Test
  void wrongSettingsAreNamed() throws Exception {
    Process gateway = start("--server", "no name", "--", "true");
    assertEnds(gateway, 2);
    assertThat(Files.readString(folder.resolve("errors"))).contains("a server's name has");
    assertEnds(start(wrapping("/no/such/program")), 1);
  }
}
