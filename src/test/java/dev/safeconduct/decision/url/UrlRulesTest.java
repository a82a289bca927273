package dev.safeconduct.decision.url;

import static dev.safeconduct.decision.url.ValidatorCalls.call;
import static dev.safeconduct.decision.url.ValidatorCalls.passes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.facts.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlRulesTest {
  private static final String PUBLIC = "{'url':'https://a.example/'}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                       | false
          {'allowed_domains':null}                 | false
          {'allowed_domains':[]}                   | false
          {'allowed_domains':'*'}                  | false
          {'allowed_domains':{'0':'*'}}            | false
          {'allowed_domains':[1,null,['*']]}       | false
          {'allowed_domains':[1,'a.example']}      | true
          {'allowed_domains':['*']}                | true
          """)
  void allowlistIsNeeded(String limits, boolean passes) {
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
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                          | true
          {'blocked_domains':[]}                                      | true
          {'blocked_domains':['*']}                                   | true
          {'blocked_domains':['b.example',7]}                         | true
          {'blocked_domains':['*.a.example']}                         | false
          {'blocked_domains':'b.example'}                             | false
          {'blocked_domains':false,'disable_default_blocks':true}     | false
          """)
  void blocklistIsOptional(String limits, boolean passes) {
    assertThat(passes("validateWebFetchBlockedDomains", limits, PUBLIC)).isEqualTo(passes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                   | false
          {'disable_default_blocks':false}     | false
          {'disable_default_blocks':'true'}    | false
          {'disable_default_blocks':1}         | false
          {'blocked_domains':[]}               | false
          {'disable_default_blocks':true}      | true
          """)
  void dropPointsAreBlockedUntilLifted(String limits, boolean passes) {
    assertThat(passes("validateBrowserBlockedDomains", limits, "{'url':'https://x.ix.io'}"))
        .isEqualTo(passes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                      | false
          {'allow_private_ips':true}                              | true
          {'allow_private_ips':'true'}                            | false
          {'allow_private_ips':1}                                 | false
          {'block_private_ips':false}                             | true
          {'block_private_ips':null}                              | false
          {'block_private_ips':0}                                 | false
          {'allow_private_ips':false,'block_private_ips':false}   | true
          {'allow_private_ips':true,'block_private_ips':true}     | true
          {'disable_default_blocks':true}                         | false
          {'allowed_domains':['10.0.0.1']}                        | false
          """)
  void privateHostsAreOpenedByExactValues(String limits, boolean passes) {
    assertThat(passes("validateWebFetchPrivateIP", limits, "{'url':'http://10.0.0.1/'}"))
        .isEqualTo(passes);
    assertThat(passes("validateBrowserPrivateIP", limits, "{'url':'http://169.254.169.254'}"))
        .isFalse();
    assertThat(passes("validateBrowserPrivateIP", limits, PUBLIC)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                      | {}                  | true
          {'allowed_methods':['get']}             | {}                  | true
          {'allowed_methods':['POST']}            | {}                  | false
          {'allowed_methods':['Post',3]}          | {'method':'POST'}   | true
          {'allowed_methods':['*']}               | {'method':'PATCH'}  | true
          {'allowed_methods':[]}                  | {}                  | false
          {'allowed_methods':'GET'}               | {}                  | false
          {'allowed_methods':[' GET']}            | {}                  | false
          """)
  void methods(String limits, String context, boolean passes) {
    assertThat(passes("validateWebFetchMethod", limits, context)).isEqualTo(passes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                  | {'action':'type'}                             | true
          {'allow_form_submission':null}      | {'action':'type'}                             | true
          {'allow_form_submission':true}      | {'action':'click'}                            | true
          {'allow_form_submission':false}     | {'action':'type','selector':'#q'}             | false
          {'allow_form_submission':'true'}    | {'action':'type'}                             | false
          {'allow_form_submission':1}         | {'action':'type'}                             | false
          {'allow_form_submission':false}     | {'action':'click'}                            | false
          {'allow_form_submission':false}     | {'action':'click','selector':''}              | false
          {'allow_form_submission':false}     | {'action':'click','selector':'#a'}            | true
          {'allow_form_submission':false}     | {'action':'click','selector':'[type=SUBMIT]'} | false
          {'allow_form_submission':false}     | {'action':'click','selector':'.resubmitted'}  | false
          {'allow_form_submission':false}     | {'action':'extract','selector':'#submit'}     | true
          {'allow_form_submission':false}     | {'action':'navigate'}                         | true
          """)
  void forms(String limits, String context, boolean passes) {
    assertThat(passes("validateBrowserFormSubmission", limits, context)).isEqualTo(passes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://u:hunter2@b.example/?k=hunter2#hunter2"})
  void messagesNameTheHostAndNoSecrets(String url) {
    Verdict verdict =
        call("validateDomainAllowlist", "{'allowed_domains':[]}", "{'url':'" + url + "'}");

    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Fail.class,
            fail -> assertThat(fail.message()).contains("b.example").doesNotContain("hunter2"));
  }
}
