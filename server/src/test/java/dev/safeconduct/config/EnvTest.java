package dev.safeconduct.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @Test
  void anEmptyEnvironmentGivesEveryDefault() {
    var env = new Env(Map.of("BLANK", "  "));
    assertThat(env.string("A", "x")).isEqualTo("x");
    assertThat(env.string("BLANK")).isEmpty();
    assertThat(env.integer("A", 3, 1, 9)).isEqualTo(3);
    assertThat(env.bytes("A", 5L, 1, 9)).isEqualTo(5);
    assertThat(env.bool("A", true)).isTrue();
    assertThat(env.millis("A", SECOND, Duration.ZERO, MINUTE)).isEqualTo(SECOND);
    assertThat(env.webAddress("A")).isEmpty();
    assertThat(env.list("A")).isEmpty();
    assertThat(env.secret("A", 8)).isEmpty();
    assertThatCode(env::check).doesNotThrowAnyException();
  }

  @Test
  void valuesAreReadInTheirUnits() {
    var env =
        new Env(
            Map.of(
                "TEXT", " a b ",
                "COUNT", "7",
                "SIZE_BYTES", "8589934592",
                "WAIT_MS", "1500",
                "ON", "true",
                "OFF", "false",
                "URL", "https://guard.example/base//",
                "LIST", "a, b,,c ",
                "SECRET", "correct-horse"));
    assertThat(env.string("TEXT", "")).isEqualTo("a b");
    assertThat(env.integer("COUNT", 0, 0, 9)).isEqualTo(7);
    assertThat(env.bytes("SIZE_BYTES", 0, 0, Long.MAX_VALUE)).isEqualTo(8L << 30);
    assertThat(env.millis("WAIT_MS", SECOND, SECOND, MINUTE)).isEqualTo(Duration.ofMillis(1500));
    assertThat(env.bool("ON", false)).isTrue();
    assertThat(env.bool("OFF", true)).isFalse();
    assertThat(env.webAddress("URL")).contains(URI.create("https://guard.example/base"));
    assertThat(env.list("LIST")).isEqualTo(List.of("a", "b", "c"));
    assertThat(env.secret("SECRET", 8)).map(Secret::reveal).contains("correct-horse");
    assertThatCode(env::check).doesNotThrowAnyException();
  }

  @Test
  void allFaultsAreToldAtOnceAndNoSecretWithThem() {
    var env = new Env(Map.of("PORT", "70000", "FLAG", "yes", "URL", "ftp://x", "KEY", "hunter2"));
    assertThat(env.integer("PORT", 8080, 0, 65535)).isEqualTo(8080);
    assertThat(env.bool("FLAG", false)).isFalse();
    assertThat(env.webAddress("URL")).isEmpty();
    assertThat(env.secret("KEY", 24)).isEmpty();
    env.fault("OTHER", "is wrong in some way");
    ConfigFault fault = catchThrowableOfType(ConfigFault.class, env::check);
    assertThat(fault.faults())
        .containsExactly(
            "PORT must be a whole number from 0 to 65535.",
            "FLAG must be true or false.",
            "URL must be an absolute http or https address without user, query or fragment.",
            "KEY must have at least 24 characters.",
            "OTHER is wrong in some way.");
    assertThat(fault.getMessage()).contains("PORT", "FLAG", "OTHER").doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"guard", "http:///x", "http://u:p@h", "http://h?q", "http://h#f", "http://h /"})
  void anAddressIsAbsoluteAndPlain(String text) {
    var env = new Env(Map.of("URL", text));
    assertThat(env.webAddress("URL")).isEmpty();
    assertThat(catchThrowableOfType(ConfigFault.class, env::check).faults()).hasSize(1);
  }

  @Test
  void aSecretDoesNotPrint() {
    assertThat(new Secret("hunter2")).hasToString("Secret[hidden]");
    assertThat(new Secret("a")).isEqualTo(new Secret("a")).isNotEqualTo(new Secret("b"));
  }
}
