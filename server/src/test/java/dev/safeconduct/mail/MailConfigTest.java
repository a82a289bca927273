package dev.safeconduct.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import dev.safeconduct.mail.MailConfig.Smtp;
import dev.safeconduct.mail.MailConfig.StartTls;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names, defaults and faults of the mail settings. */
final class MailConfigTest {
  private static MailConfig read(Map<String, String> variables) {
    var env = new Env(variables);
    MailConfig config = MailConfig.from(env);
    env.check();
    return config;
  }

  @Test
  void defaultsToTheFolder() {
    assertThat(read(Map.of()))
        .isEqualTo(new MailConfig(Optional.empty(), "Safeconduct <safeconduct@localhost>"));
  }

  @ParameterizedTest
  @CsvSource({
    "smtp://mail.example.com, 587, false, OPTIONAL",
    "smtp://mail.example.com:25?starttls=never, 25, false, NEVER",
    "smtps://mail.example.com, 465, true, OPTIONAL",
    "SMTP://mail.example.com?starttls=required, 587, false, REQUIRED",
  })
  void readsTheServer(String url, int port, boolean tls, StartTls startTls) {
    assertThat(read(Map.of("SMTP_URL", url, "MAIL_FROM", "us@example.com")).smtp())
        .contains(
            new Smtp("mail.example.com", port, tls, startTls, Optional.empty(), Optional.empty()));
  }

  /** A password is not sent over a plain connection unless somebody asks for that. */
  @Test
  void aPasswordDemandsTls() {
    assertThat(
            read(Map.of(
                    "SMTP_URL", "smtp://us%40example.com:p%2Bw+x@mail.example.com",
                    "MAIL_FROM", "Us <us@example.com>"))
                .smtp())
        .contains(
            new Smtp(
                "mail.example.com",
                587,
                false,
                StartTls.REQUIRED,
                Optional.of("us@example.com"),
                Optional.of(new Secret("p+w+x"))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mail.example.com",
        "http://mail.example.com",
        "smtp://hush@mail.example.com",
        "smtp://us:hush@mail.example.com?starttls=maybe",
        "smtp://us:hush@mail.example.com/#x",
        "smtp://us:hu sh@mail.example.com",
      })
  void refusesOtherAddressesWithoutShowingThem(String url) {
    assertThatThrownBy(() -> read(Map.of("SMTP_URL", url, "MAIL_FROM", "us@example.com")))
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining("SMTP_URL")
        .hasMessageNotContaining("hush");
  }

  @Test
  void aServerNeedsASender() {
    assertThatThrownBy(() -> read(Map.of("SMTP_URL", "smtp://mail.example.com")))
        .hasMessageContaining("MAIL_FROM");
    assertThatThrownBy(() -> read(Map.of("MAIL_FROM", "not an address")))
        .hasMessageContaining("MAIL_FROM");
  }
}
