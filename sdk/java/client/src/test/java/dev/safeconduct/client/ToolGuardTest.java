package dev.safeconduct.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.client.contexts.SystemCommandExecuteV1;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolGuardTest {
  private static EchoService service;
  private static ToolGuard guard;

  @BeforeAll
  static void start() throws Exception {
    service = new EchoService();
    guard =
        ToolGuard.builder(service.client())
            .tool(
                "shell",
                arguments ->
                    SystemCommandExecuteV1.builder()
                        .command(ToolGuard.text(arguments, "command"))
                        .build()
                        .action(null))
            .actions(
                "both",
                arguments ->
                    List.of(
                        EchoService.action(Map.of("command", "echo 1")),
                        EchoService.action(arguments)))
            .actions("nothing", arguments -> List.of())
            .tool("foreign", arguments -> Action.of("", Map.of()))
            .unchecked("think")
            .build();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          shell   | {"command": "echo 1"}                          | allowed
          shell   | {"command": "reboot"}                          | oap.command_not_allowed
          both    | {"command": "echo 2"}                          | allowed
          both    | {"command": "reboot"}                          | oap.command_not_allowed
          think   | {}                                             | allowed
          think   |                                                | allowed
          Shell   | {"command": "echo 1"}                          | client.unknown_tool
          ''      | {}                                             | client.unknown_tool
          shell   |                                                | client.invalid_arguments
          shell   | {}                                             | client.invalid_arguments
          shell   | {"command": null}                              | client.invalid_arguments
          shell   | {"command": ["echo 1"]}                        | client.invalid_arguments
          shell   | {"command": "echo 1", "command": "reboot"}     | client.invalid_arguments
          shell   | {"command": "echo 1"} x                        | client.invalid_arguments
          shell   | ["echo 1"]                                     | client.invalid_arguments
          nothing | {}                                             | client.invalid_arguments
          foreign | {}                                             | client.invalid_arguments
          """)
  void runsOnlyWhatIsAllowed(String tool, String arguments, String expected) throws Exception {
    String code = guard.deny(tool, arguments).map(ActionDeniedException::code).orElse("allowed");
    assertThat(code).isEqualTo(expected);
    if (expected.equals("allowed")) {
      assertThat(guard.run(tool, arguments, () -> 7)).isEqualTo(7);
    } else {
      assertThatThrownBy(() ->
              guard.run(
                  tool,
                  arguments,
                  () -> {
                    throw new AssertionError("it ran");
                  }))
          .isInstanceOf(ActionDeniedException.class);
    }
  }

  @Test
  void anOutageDenies() throws Exception {
    var stopped = new EchoService();
    ToolGuard closed = stopped.guard();
    stopped.close();
    ActionDeniedException denied = closed.deny("shell", Map.of("command", "echo 1")).orElseThrow();
    assertThat(denied.code()).isEqualTo("client.unavailable");
    assertThat(ToolGuard.refusal(denied)).contains("client.unavailable");
  }

  @Test
  void whatTheToolThrowsStaysItsOwn() {
    assertThatThrownBy(() ->
            guard.run(
                "shell",
                "{\"command\": \"echo 1\"}",
                () -> {
                  throw new java.io.IOException("of the tool");
                }))
        .isInstanceOf(java.io.IOException.class)
        .hasMessage("of the tool");
  }

  @Test
  void anInterruptedActionGivesItsChargeBack() throws Exception {
    try (var own = new EchoService()) {
      CheckOptions reserve = CheckOptions.none().withReserve();
      Action action = EchoService.action(Map.of("command", "echo 1"));
      assertThatThrownBy(() ->
              own.client()
                  .guard(
                      action,
                      reserve,
                      () -> {
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException("of the action");
                      }))
          .isInstanceOf(IllegalStateException.class);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(own.asked()).containsExactly("echo 1", "/api/usage/res_1/release");
    }
  }

  @Test
  void contextsHaveTheMembersOfTheirPolicy() {
    SystemCommandExecuteV1 context =
        SystemCommandExecuteV1.builder().command("ls").timeout(5).region("eu").build();
    assertThat(context.toMap()).isEqualTo(Map.of("command", "ls", "timeout", 5L, "region", "eu"));
    assertThat(context.action("a").policy()).isEqualTo(SystemCommandExecuteV1.POLICY);
    assertThatThrownBy(() -> SystemCommandExecuteV1.builder().timeout(5).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("command");
  }
}
