package dev.safeconduct.identity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One mailbox is one value, and no address holds what could leave its header. */
final class EmailAddressTest {
  @ParameterizedTest
  @CsvSource({
    "Ada@Example.COM, ada@example.com, ada@example.com",
    "' ada+bots@example.com ', ada+bots@example.com, ada@example.com",
    "a.b-c_d@münchen.example, a.b-c_d@xn--mnchen-3ya.example, a.b-c_d@xn--mnchen-3ya.example",
    "a@xn--strae-oqa.example, a@xn--strae-oqa.example, a@xn--strae-oqa.example",
    "owner@localhost, owner@localhost, owner@localhost",
  })
  void isOneValueForAMailbox(String text, String value, String mailbox) {
    EmailAddress address = EmailAddress.parse(text).orElseThrow();
    assertThat(address.value()).isEqualTo(value);
    assertThat(address.mailbox()).isEqualTo(mailbox);
    assertThat(address.toString()).doesNotContain("example");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "@",
        "a@",
        "@b",
        "a b@example.com",
        "a@b c",
        "a@@b",
        "a@b@c",
        "<a@example.com>",
        "a@example.com,b@example.com",
        "a@example.com\r\nBcc: x@example.com",
        "\"a\"@example.com",
        "a@[127.0.0.1]",
        ".a@example.com",
        "a..b@example.com",
        "a@-b.example",
        "a@b..example",
        "ä@example.com",
        "a\u0000@example.com",
        "a@exa_mple.com",
        "a@straße.example",
        "a@xn--mnchen-3ya.νικος",
        "a@exam\u200cple.com",
        "a@exam\u200dple.com",
      })
  void refusesWhatIsNoPlainAddress(String text) {
    assertThat(EmailAddress.parse(text)).isEmpty();
  }
}
