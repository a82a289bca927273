package dev.safeconduct.decision.url;

import static dev.safeconduct.decision.url.ValidatorCalls.call;
import static dev.safeconduct.decision.url.ValidatorCalls.passes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.RuleResult;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.testkit.CaseSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UrlRulesTest {
  private static final String PUBLIC = "{'url':'https://a.example/'}";

  @ParameterizedTest
  @CaseSource("url/url-rules.json")
  void allowlistIsNeeded(JsonObject limits, boolean passes) {
    assertThat(passes("validateDomainAllowlist", limits, PUBLIC)).isEqualTo(passes);
  }

  @Test
  void withoutUrlNoListIsRead() {
    for (String validator :
        new String[] {
          "validateDomainAllowlist", "validateBrowserBlockedDomains", "validateBrowserPrivateIP"
        }) {
      assertThat(passes(validator, "{'blocked_domains':7}", "{'action':'wait'}")).isTrue();
    }
  }

  @Test
  void aTextThatIsNoUrlNeverPasses() {
    String context = "{'url':'a.example'}";

    assertThat(passes("validateDomainAllowlist", "{'allowed_domains':['*']}", context)).isFalse();
    assertThat(passes("validateWebFetchBlockedDomains", "{}", context)).isFalse();
    assertThat(passes("validateWebFetchPrivateIP", "{}", context)).isFalse();
    assertThat(passes("validateWebFetchPrivateIP", "{}", "{'url':7}")).isFalse();
  }

  @ParameterizedTest
  @CaseSource("url/url-rules.json")
  void blocklistIsOptional(JsonObject limits, boolean passes) {
    assertThat(passes("validateWebFetchBlockedDomains", limits, PUBLIC)).isEqualTo(passes);
  }

  @ParameterizedTest
  @CaseSource("url/url-rules.json")
  void dropPointsAreBlockedUntilLifted(JsonObject limits, boolean passes) {
    assertThat(passes("validateBrowserBlockedDomains", limits, "{'url':'https://x.ix.io'}"))
        .isEqualTo(passes);
  }

  @ParameterizedTest
  @CaseSource("url/url-rules.json")
  void privateHostsAreOpenedByExactValues(JsonObject limits, boolean passes) {
    assertThat(passes("validateWebFetchPrivateIP", limits, "{'url':'http://10.0.0.1/'}"))
        .isEqualTo(passes);
    assertThat(passes("validateBrowserPrivateIP", limits, "{'url':'http://169.254.169.254'}"))
        .isFalse();
    assertThat(passes("validateBrowserPrivateIP", limits, PUBLIC)).isTrue();
  }

  @ParameterizedTest
  @CaseSource("url/url-rules.json")
  void methods(JsonObject limits, JsonObject context, boolean passes) {
    assertThat(passes("validateWebFetchMethod", limits, context)).isEqualTo(passes);
  }

  @ParameterizedTest
  @CaseSource("url/url-rules.json")
  void forms(JsonObject limits, JsonObject context, boolean passes) {
    assertThat(passes("validateBrowserFormSubmission", limits, context)).isEqualTo(passes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://u:hunter2@b.example/?k=hunter2#hunter2"})
  void messagesNameTheHostAndNoSecrets(String url) {
    RuleResult verdict =
        call("validateDomainAllowlist", "{'allowed_domains':[]}", "{'url':'" + url + "'}");

    assertThat(verdict)
        .isInstanceOfSatisfying(
            RuleResult.Fail.class,
            fail -> assertThat(fail.message()).contains("b.example").doesNotContain("hunter2"));
  }
}
