package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.safeconduct.config.AddressRange;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HttpConfigTest {
  @Test
  void defaults() {
    assertThat(HttpConfig.from(new Env(Map.of())))
        .isEqualTo(
            new HttpConfig(
                "127.0.0.1",
                8080,
                URI.create("http://127.0.0.1:8080"),
                URI.create("http://127.0.0.1:8080"),
                List.of(),
                Set.of(),
                134_217_728L,
                false,
                Optional.empty()));
  }

  @Test
  void everyVariable() {
    var env =
        new Env(
            Map.ofEntries(
                Map.entry("BIND", "::1"),
                Map.entry("PORT", "443"),
                Map.entry("BASE_URL", "https://guard.example/"),
                Map.entry("ISSUE_URL", "https://issue.example"),
                Map.entry("TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
                Map.entry("CORS_ALLOWED_ORIGINS", "https://app.example, http://localhost:3000"),
                Map.entry("MAX_LARGE_BODIES_BYTES", "20000000"),
                Map.entry("ANONYMOUS_VERIFY", "true"),
                Map.entry("TLS_CERT", "/c.pem"),
                Map.entry("TLS_KEY", "/k.pem")));
    assertThat(HttpConfig.from(env))
        .isEqualTo(
            new HttpConfig(
                "::1",
                443,
                URI.create("https://guard.example"),
                URI.create("https://issue.example"),
                List.of(
                    AddressRange.parse("10.0.0.0/8").orElseThrow(),
                    AddressRange.parse("::1").orElseThrow()),
                Set.of("https://app.example", "http://localhost:3000"),
                20_000_000L,
                true,
                Optional.of(new HttpConfig.Tls(Path.of("/c.pem"), Path.of("/k.pem")))));
    env.check();
  }

  @Test
  void theIssueAddressFollowsTheBaseAddress() {
    HttpConfig config = HttpConfig.from(new Env(Map.of("BASE_URL", "https://guard.example")));
    assertThat(config.issueUrl()).isEqualTo(URI.create("https://guard.example"));
    assertThat(HttpConfig.from(new Env(Map.of("BIND", "::1"))).baseUrl())
        .isEqualTo(URI.create("http://[::1]:8080"));
  }

  @Test
  void faultsNameTheirVariable() {
    var env =
        new Env(
            Map.of(
                "PORT", "http",
                "TRUSTED_PROXIES", "10.0.0.0/33,proxy.example",
                "CORS_ALLOWED_ORIGINS", "*,https://app.example/path",
                "MAX_LARGE_BODIES_BYTES", "1",
                "TLS_CERT", "/c.pem"));
    HttpConfig.from(env);
    ConfigFault fault = catchThrowableOfType(ConfigFault.class, env::check);
    assertThat(fault.faults().stream().map(text -> text.substring(0, text.indexOf(' '))))
        .containsExactly(
            "PORT",
            "TLS_KEY",
            "TRUSTED_PROXIES",
            "TRUSTED_PROXIES",
            "CORS_ALLOWED_ORIGINS",
            "CORS_ALLOWED_ORIGINS",
            "MAX_LARGE_BODIES_BYTES");
  }
}
