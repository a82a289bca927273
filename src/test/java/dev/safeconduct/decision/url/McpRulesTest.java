package dev.safeconduct.decision.url;

import static dev.safeconduct.decision.url.ValidatorCalls.call;
import static dev.safeconduct.decision.url.ValidatorCalls.object;
import static dev.safeconduct.decision.url.ValidatorCalls.passes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.facts.Verdict;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
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
          tracker                    | tracker                        | true   | false
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

    assertThat(call("validateMCPServerAllowlist", limits, context).equals(Verdict.pass()))
        .isEqualTo(listed);
    assertThat(call("validateMCPServer", limits, context).equals(Verdict.pass()))
        .isEqualTo(wellFormed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                             | false
          {'allowed_servers':null}       | false
          {'allowed_servers':'*'}        | false
          {'allowed_servers':[]}         | false
          {'allowed_servers':[1,'*']}    | true
          """)
  void serverListIsNeeded(String limits, boolean passes) {
    assertThat(passes("validateMCPServerAllowlist", limits, "{'server':'https://m.example'}"))
        .isEqualTo(passes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                              | a.b   | false
          {'allowed_tools':['a.b']}                                       | a.b   | true
          {'allowed_tools':['a.b']}                                       | A.b   | false
          {'allowed_tools':['a.b']}                                       | a.bc  | false
          {'allowed_tools':['a.*']}                                       | a.b   | false
          {'allowed_tools':['*']}                                         | a.b   | true
          {'allowed_tools':[]}                                            | a.b   | false
          {'allowed_tools':'*'}                                           | a.b   | false
          {'allowed_tool_prefixes':['a.']}                                | a.b   | true
          {'allowed_tool_prefixes':['a.**']}                              | a.b   | true
          {'allowed_tool_prefixes':['A.']}                                | a.b   | false
          {'allowed_tool_prefixes':['','*','**',7]}                       | a.b   | false
          {'allowed_tool_prefixes':'a.'}                                  | a.b   | false
          {'allowed_tools':['a.b'],'allowed_tool_prefixes':{}}            | a.b   | false
          {'allowed_tools':7,'allowed_tool_prefixes':['a']}               | a.b   | false
          {'allowed_tools':['c'],'allowed_tool_prefixes':['a']}           | a.b   | true
          {'allowed_tools':['*'],'blocked_tools':['A.B ']}                | a.b   | false
          {'allowed_tools':['*'],'blocked_tools':['a.b']}                 | A.B   | false
          {'allowed_tools':['*'],'blocked_tools':['a.b']}                 | a.bc  | true
          {'allowed_tools':['*'],'blocked_tools':['A*']}                  | a.bc  | false
          {'allowed_tools':['*'],'blocked_tools':['*']}                   | a.b   | false
          {'allowed_tools':['*'],'blocked_tools':['',3]}                  | a.b   | true
          {'allowed_tools':['*'],'blocked_tools':'x'}                     | a.b   | false
          """)
  void tools(String limits, String tool, boolean passes) {
    assertThat(passes("validateMCPTool", limits, "{'tool':'" + tool + "'}")).isEqualTo(passes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {'max_parameter_size':2}       | {}                          | true
          {'max_parameter_size':1}       | {}                          | false
          {'max_parameter_size':0}       | {}                          | false
          {'max_parameter_size':1.5}     | {}                          | false
          {'max_parameter_size':-1}      | {}                          | false
          {'max_parameter_size':'9'}     | {}                          | false
          {'max_parameter_size':true}    | {}                          | false
          {}                             | {'a':1}                     | true
          {'max_parameter_size':7}       | { 'a' : 1 }                 | true
          {'max_parameter_size':6}       | { 'a' : 1 }                 | false
          {'max_parameter_size':7}       | {'a':1.0}                   | true
          {'max_parameter_size':10}      | {'a':null}                  | true
          {'max_parameter_size':9}       | {'a':null}                  | false
          {'max_parameter_size':8}       | {'é':1}                     | true
          {'max_parameter_size':7}       | {'é':1}                     | false
          {'max_parameter_size':10}      | {'🍲':1}                    | true
          {'max_parameter_size':9}       | {'🍲':1}                    | false
          """)
  void parameterSize(String limits, String parameters, boolean passes) {
    assertThat(passes("validateParameterSize", limits, "{'parameters':" + parameters + "}"))
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
              Verdict.Fail.class, fail -> assertThat(fail.message()).doesNotContain("hunter2"));
    }
  }
}
