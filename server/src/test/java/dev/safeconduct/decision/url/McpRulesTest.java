package dev.safeconduct.decision.url;

import static dev.safeconduct.decision.url.ValidatorCalls.call;
import static dev.safeconduct.decision.url.ValidatorCalls.object;
import static dev.safeconduct.decision.url.ValidatorCalls.passes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.CaseSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class McpRulesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # entry                    | server                         | listed | well formed
          https://m.example          | https://m.example              | true   | true
          https://m.example          | HTTPS://M.Example.:443/        | true   | true
          https://m.example/a        | https://m.example/x/../a/      | true   | true
          https://m.example/a        | https://m.example/%2e/a        | true   | true
          https://m.example/a        | https://m.example/A            | false  | true
          https://m.example/a        | https://m.example/a/b          | false  | true
          https://m.example          | https://n.m.example            | false  | true
          https://m.example          | https://m.example:8443         | false  | true
          https://m.example          | wss://m.example                | false  | true
          https://m.example          | https://m.example?             | false  | true
          https://m.example?a=1&b=2  | https://m.example/?a=1&b=2     | true   | true
          https://m.example?a=1&b=2  | https://m.example?b=2&a=1      | false  | true
          https://m.example          | https://m.example/#            | false  | false
          https://m.example/#x       | https://m.example/#x           | true   | false
          https://m.example          | https://u@m.example            | false  | false
          https://u@m.example        | https://u@m.example/           | true   | false
          https://m.example          | https://m.example@evil.test    | false  | false
          *                          | https://any.example/rpc        | true   | true
          *                          | wss://any.example              | true   | true
          *                          | http://any.example             | true   | false
          *                          | ws://any.example               | true   | false
          *                          | ftp://any.example              | true   | false
          *                          | any                            | true   | false
          *                          | ''                             | true   | false
          *                          | https://10.1.1.1               | true   | false
          *                          | https://tracker                | true   | false
          *                          | https://localhost              | true   | false
          *                          | http://localhost               | true   | false
          *                          | https://169.254.169.254        | true   | false
          ''                         | ''                             | false  | false
          ' https://m.example'       | https://m.example              | false  | true
          tracker                    | tracker                        | true   | true
          tracker                    | mcp:tracker                    | true   | true
          mcp:tracker                | tracker                        | true   | true
          mcp:tracker                | mcp:Tracker                    | false  | false
          mcp:tracker                | https://tracker                | false  | false
          mcp:tracker                | MCP:tracker                    | false  | false
          mcp:tracker                | mcp:mcp:tracker                | false  | false
          *                          | mcp:tracker                    | true   | false
          mcp:*                      | tracker                        | true   | true
          mcp:*                      | mcp:a.b_c-1                    | true   | true
          mcp:*                      | mcp:-a                         | false  | false
          mcp:*                      | a/b                            | false  | false
          mcp:*                      | mcp:*                          | true   | false
          mcp:*                      | https://m.example              | false  | true
          stdio://x                  | stdio://x                      | true   | false
          host:80                    | host:80                        | true   | false
          http://m.example           | http://m.example               | true   | false
          http://localhost:7         | http://LOCALHOST:7/            | true   | true
          http://localhost:7         | http://localhost:8             | false  | false
          ws://127.9.9.9             | ws://127.9.9.9:80/             | true   | true
          http://[::1]               | http://[0::1]                  | true   | true
          http://[::ffff:127.0.0.1]  | http://[::ffff:127.0.0.1]      | true   | false
          http://a.localhost         | http://a.localhost             | true   | false
          http://10.1.1.1            | http://10.1.1.1                | true   | false
          https://10.1.1.1           | https://0xa010101/             | true   | true
          https://tracker            | https://tracker                | true   | true
          https://169.254.169.254    | https://169.254.169.254        | true   | false
          https://metadata.goog      | https://metadata.goog          | true   | false
          """)
  void servers(String entry, String server, boolean listed, boolean wellFormed) {
    JsonObject limits =
        JsonObject.builder()
            .put("allowed_servers", JsonArray.ofStrings(List.of("https://o.example", entry)))
            .build();
    JsonObject context = JsonObject.builder().put("server", server).build();

    assertThat(call("validateMCPServerAllowlist", limits, context).equals(RuleResult.pass()))
        .isEqualTo(listed);
    assertThat(call("validateMCPServer", limits, context).equals(RuleResult.pass()))
        .isEqualTo(wellFormed);
  }

  @ParameterizedTest
  @CaseSource("url/mcp-rules.json")
  void serverListIsNeeded(JsonObject limits, boolean passes) {
    assertThat(passes("validateMCPServerAllowlist", limits, "{'server':'https://m.example'}"))
        .isEqualTo(passes);
  }

  @ParameterizedTest
  @CaseSource("url/mcp-rules.json")
  void tools(JsonObject limits, String tool, boolean passes) {
    assertThat(passes("validateMCPTool", limits, "{'tool':'" + tool + "'}")).isEqualTo(passes);
  }

  @ParameterizedTest
  @CaseSource("url/mcp-rules.json")
  void parameterSize(JsonObject limits, JsonObject parameters, boolean passes) {
    assertThat(
            passes(
                "validateParameterSize", limits, JsonObject.EMPTY.with("parameters", parameters)))
        .isEqualTo(passes);
  }

  @Test
  void parametersTakeAtMost100KibibytesByDefault() {
    String most = "x".repeat(102400 - "{'a':''}".length());

    assertThat(passes("validateParameterSize", "{}", "{'parameters':{'a':'" + most + "'}}"))
        .isTrue();
    assertThat(passes("validateParameterSize", "{}", "{'parameters':{'a':'" + most + "x'}}"))
        .isFalse();
  }

  @Test
  void messagesShowNoSecrets() {
    String context = "{'server':'https://u:hunter2@m.example/?k=hunter2'}";

    for (String validator : List.of("validateMCPServerAllowlist", "validateMCPServer")) {
      assertThat(call(validator, object("{'allowed_servers':[]}"), object(context)))
          .isInstanceOfSatisfying(
              RuleResult.Fail.class, fail -> assertThat(fail.message()).doesNotContain("hunter2"));
    }
  }
}
