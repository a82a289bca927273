package dev.safeconduct.decision.url;

import static dev.safeconduct.decision.url.ValidatorCalls.call;
import static dev.safeconduct.decision.url.ValidatorCalls.object;
import static dev.safeconduct.decision.url.ValidatorCalls.passes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.CaseSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderRulesTest {
  private static final String LIFTED = "{'disable_default_blocks':true,'allowed_headers':['*']}";

  @ParameterizedTest
  @ValueSource(strings = {"", "A B", "A:B", "Ä", "A\n", "A\0", "A(B)", "A/B", "a@b", "\"A\""})
  void namesAreTokens(String name) {
    assertThat(send(LIFTED, name, "x")).isFalse();
    assertThat(send(LIFTED, "!#$%&'*+-.^_`|~0aZ", "x")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\rb", "a\nb", "\r\n", "a\0", "\n"})
  void valuesAreOneLine(String value) {
    assertThat(send(LIFTED, "X-A", value)).isFalse();
    assertThat(send(LIFTED, "X-A", "a\tb \u007f é")).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Host   | a.example             | true
          HOST   | A.EXAMPLE.            | true
          host   | ' a.example '         | true
          host   | a.example:443         | true
          host   | a.example:9999        | false
          host   | a.example/x           | false
          host   | a.example?x           | false
          host   | x@a.example           | false
          host   | b.example             | false
          host   | x.a.example           | false
          host   | ''                    | false
          host   | a.example@b.example   | false
          host   | 'a.example b.example' | false
          host   | https://a.example     | false
          host   | 10.0.0.1              | false
          X-Note | b.example             | true
          """)
  void hostNamesTheUrlsHost(String name, String value, boolean passes) {
    assertThat(send(LIFTED, name, value)).isEqualTo(passes);
    assertThat(send("{}", name, value)).isEqualTo(passes);
  }

  @ParameterizedTest
  @CaseSource("url/header-rules.json")
  void ownersOpenAndClose(JsonObject limits, String name, boolean passes) {
    assertThat(send(limits, name, "x")).isEqualTo(passes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization",
        "proxy_authorization",
        "COOKIE",
        "Set-Cookie",
        "X-API-Key",
        "api-key",
        "apikey",
        "X-Auth-Token",
        "X_Access_Token",
        "x-amz-security-token",
        "X-Vault-Token",
        "Private-Token",
        "x-csrf-token"
      })
  void credentialsStayAtHome(String name) {
    assertThat(send("{}", name, "x")).isFalse();
    assertThat(send("{}", name + "s", "x")).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Bearer x                          | false
          '  BASIC  x'                      | false
          bearer\u00a0x                     | false
          Bearer                            | true
          'Bearer '                         | true
          bearerx                           | true
          not bearer x                      | true
          --begin-----BEGIN RSA             | false
          -----begin                        | false
          ----BEGIN                         | true
          AKIA0123456789ABCDEF              | false
          xakia0123456789abcdefx            | false
          AKIA0123456789ABCDE               | true
          ghp_01234567890123456789          | false
          my ghs_0123456789abcdefghijkl     | false
          ghp_0123456789012345678           | true
          ghx_01234567890123456789          | true
          xoxb-0123456789                   | false
          XOXS-01234-56789                  | false
          xoxb-012345678                    | true
          xoxc-0123456789                   | true
          sk-0123456789abcdef               | false
          a.sk-0123456789_-cdef             | false
          task-0123456789abcdef             | true
          sk-0123456789abcde                | true
          """)
  void secretsStayAtHome(String value, boolean passes) {
    assertThat(send("{}", "X-Note", value)).isEqualTo(passes);
    assertThat(send("{'allowed_headers':['x-note']}", "X-Note", value)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Transfer-Encoding", "transfer_encoding", "Content-Length", "HTTP2-Settings"})
  void framingIsTheExecutors(String name) {
    assertThat(send(LIFTED, name, "x")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Forwarded-Host",
        "x_forwarded_anything",
        "X-Original-Forwarded-For",
        "X-Envoy-Original-Path",
        "X-AWS-EC2-Metadata-Token",
        "X-HTTP-Method-Override",
        "X-Method-Override",
        "Connection",
        "TE",
        "Via",
        "Forwarded",
        "X-Host",
        "X-Rewrite-URL",
        "Metadata-Flavor",
        "Cookie2"
      })
  void routingIsClosedByDefault(String name) {
    assertThat(send("{}", name, "x")).isFalse();
    assertThat(send("{'disable_default_blocks':true}", name, "x")).isTrue();
    assertThat(send("{'allowed_headers':['" + name + "']}", name, "x")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"X-HTTP-Method-Override", "x_http_method", "X-Method-Override"})
  void anOverrideNamesAnAllowedMethod(String name) {
    String limits = "{'disable_default_blocks':true,'allowed_methods':['GET','put']}";
    assertThat(send(limits, name, "DELETE")).isFalse();
    assertThat(send(limits, name, "")).isFalse();
    assertThat(send(limits, name, " Put ")).isTrue();
    assertThat(send(limits.replace("put", "*"), name, "delete")).isTrue();
  }

  @Test
  void everyHeaderIsJudged() {
    String context = "{'url':'https://a.example/','headers':{'Accept':'a','B':'c','Cookie':'d'}}";

    assertThat(passes("validateWebFetchHeaders", "{}", context)).isFalse();
  }

  @Test
  void withoutHeadersNoListIsRead() {
    String limits = "{'blocked_headers':1,'allowed_headers':2}";

    assertThat(passes("validateWebFetchHeaders", limits, "{'url':'https://a.example/'}")).isTrue();
    assertThat(
            passes("validateWebFetchHeaders", limits, "{'url':'https://a.example/','headers':{}}"))
        .isTrue();
  }

  @Test
  void messagesShowNoValues() {
    String context = "{'url':'https://a.example/','headers':{'X-A':'Bearer hunter2'}}";

    assertThat(call("validateWebFetchHeaders", "{}", context))
        .isInstanceOfSatisfying(
            RuleResult.Fail.class,
            fail -> assertThat(fail.message()).contains("X-A").doesNotContain("hunter2"));
  }

  private static boolean send(String limits, String name, String value) {
    return send(object(limits), name, value);
  }

  private static boolean send(JsonObject limits, String name, String value) {
    JsonObject headers = JsonObject.builder().put(name, value).build();
    JsonObject context =
        JsonObject.builder().put("url", "https://a.example/").put("headers", headers).build();
    return call("validateWebFetchHeaders", limits, context).equals(RuleResult.pass());
  }
}
