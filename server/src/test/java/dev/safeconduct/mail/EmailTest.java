package dev.safeconduct.mail;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What others chose cannot turn into a link in a letter of ours. */
final class EmailTest {
  @ParameterizedTest
  @CsvSource({
    "'Build agent', 'Build agent'",
    "'Agent v1.2', 'Agent v1 2'",
    "'See https://evil.example/x', 'See https evil example x'",
    "'www.evil.example', 'www evil example'",
    "'<a href=x>y</a>', 'a href=x y a'",
    "'me@evil.example', 'me evil example'",
    "'Dr. Agent.', 'Dr. Agent.'",
  })
  void makesTextInert(String text, String inert) {
    assertThat(Email.inert(text)).isEqualTo(inert);
  }
}
