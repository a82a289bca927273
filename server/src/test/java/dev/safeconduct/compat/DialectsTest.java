package dev.safeconduct.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DialectsTest {
  private static final Set<String> DECLARED = Set.of("command", "cmd", "cwd", "region");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"context\":{\"command\":\"ls\"}} | ls | context.command",
        "{\"params\":{\"command\":\"ls\"}} | ls | params.command",
        "{\"tool_params\":{\"command\":\"ls\"}} | ls | tool_params.command",
        "{\"input\":\"{\\\"command\\\":\\\"ls\\\"}\"} | ls | input.command",
        "{\"command\":\"ls\",\"params\":{\"command\":\"ls\"}} | ls | ~~",
        "{\"command\":null,\"params\":{\"command\":\"ls\"}} | ls | params.command",
        "{\"input\":\"\\ufeff {\\\"command\\\":\\\"ls\\\"}\"} | ls | input.command",
        "{\"command\":\"ls\",\"input\":\"plain text\"} | ls | ~~",
        "{\"command\":\"ls\",\"input\":\"{broken\"} | ls | ~~",
        "{\"command\":\"ls\",\"params\":{\"undeclared\":1}} | ls | ~~",
      })
  void liftsWhatThePackDeclares(String context, String command, String lifted) throws JsonFault {
    Dialects.Lifted result = lift(context.strip());
    assertThat(result.fault()).isEmpty();
    assertThat(result.context().string("command")).contains(command.strip());
    assertThat(String.join(",", result.lifted())).isEqualTo(lifted == null ? "" : lifted.strip());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"command\":\"ls\",\"params\":{\"command\":\"rm -rf /\"}}",
        "{\"command\":\"ls\",\"input\":\"{\\\"command\\\":\\\"rm -rf /\\\"}\"}",
        "{\"params\":{\"command\":\"ls\"},\"tool_params\":{\"command\":\"rm\"}}",
        "{\"region\":\"US\",\"context\":{\"region\":\"EU\"}}",
        "{\"command\":\"ls\",\"input\":\"{\\\"command\\\":\\\"ls\\\",\\\"command\\\":\\\"rm\\\"}\"}",
        "{\"command\":\"ls\",\"params\":\"{\\\"command\\\":\\\"rm\\\",\\\"x\\\":\\\"\\\\ud800\\\"}\"}",
        "{\"command\":\"ls\",\"input\":\"{\\\"command\\\":\\\"rm\\\",\\\"x\\\":1e999}\"}",
        "{\"command\":\"ls\",\"input\":\"\\ufeff{\\\"command\\\":\\\"rm\\\"}\"}",
        "{\"command\":\"ls\",\"params\":\"{\\\"command\\\":\\\"rm\\\",\\\"x\\\":NaN}\"}",
        "{\"command\":\"ls\",\"params\":\"{\\\"x\\\":-Infinity,\\\"command\\\":\\\"rm\\\"}\"}",
      })
  void nothingHidesBehindAHarmlessTwin(String context) throws JsonFault {
    assertThat(lift(context).fault()).isPresent();
  }

  @Test
  void whatIsTooDeepToBeReadIsAFault() throws JsonFault {
    String deep = "{\"x\":" + "[".repeat(40) + "]".repeat(40) + ",\"command\":\"rm\"}";
    JsonObject context = JsonObject.builder().put("command", "ls").put("input", deep).build();
    assertThat(Dialects.lift(context, DECLARED::contains).fault()).isPresent();
  }

  @Test
  void aContainerThePackDeclaresIsLeftAlone() throws JsonFault {
    JsonObject context = json("{\"context\":{\"command\":\"rm\"},\"command\":\"ls\"}");
    Dialects.Lifted result =
        Dialects.lift(context, name -> name.equals("context") || name.equals("command"));
    assertThat(result.context()).isEqualTo(context);
    assertThat(result.fault()).isEmpty();
  }

  @Test
  void agentIdsInContainersAreReportedNotLifted() throws JsonFault {
    Dialects.Lifted result = lift("{\"command\":\"ls\",\"context\":{\"agent_id\":\"ap_other\"}}");
    assertThat(result.agentIds()).containsExactly("ap_other");
    assertThat(result.context().has("agent_id")).isFalse();
  }

  @Test
  void oldPackIdsMeanThePacksOfToday() {
    assertThat(Dialects.policyId("data.export.v1")).isEqualTo("data.export.create.v1");
    assertThat(Dialects.policyId("messaging.send.v1")).isEqualTo("messaging.message.send.v1");
    assertThat(Dialects.policyId("web.fetch.v1")).isEqualTo("web.fetch.v1");
  }

  private static Dialects.Lifted lift(String context) throws JsonFault {
    return Dialects.lift(json(context), DECLARED::contains);
  }

  private static JsonObject json(String text) throws JsonFault {
    return (JsonObject) Json.parse(text);
  }
}
