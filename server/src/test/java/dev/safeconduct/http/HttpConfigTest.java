package dev.safeconduct.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.http.server.ListenerConfig;
import dev.safeconduct.http.server.PemFiles;
import dev.safeconduct.http.server.Timeouts;
import dev.safeconduct.net.AddressRange;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HttpConfigTest {
  @Test
  void defaults() {
    assertThat(HttpConfig.from(new Env(Map.of("MAX_CONNECTIONS", "10"))))
        .isEqualTo(
            new HttpConfig(
                new ListenerConfig("127.0.0.1", 8080, Optional.empty(), 10, Timeouts.DEFAULT),
                URI.create("http://127.0.0.1:8080"),
                URI.create("http://127.0.0.1:8080"),
                List.of(),
                Set.of(),
                134_217_728L,
                false,
                Duration.ofSeconds(5)));
  }

  @Test
  void thereAreFewerConnectionsThanDescriptors() {
    long descriptors =
        ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getMaxFileDescriptorCount();
    int most = HttpConfig.from(new Env(Map.of())).server().maxConnections();
    assertThat(most).isPositive().isLessThanOrEqualTo(10_000);
    assertThat((long) most).isLessThan(descriptors);
    var env = new Env(Map.of("MAX_CONNECTIONS", Long.toString(descriptors + 1)));
    HttpConfig.from(env);
    assertThat(catchThrowableOfType(ConfigFault.class, env::check).faults()).hasSize(1);
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
                Map.entry("MAX_CONNECTIONS", "20"),
                Map.entry("MAX_LARGE_BODIES_BYTES", "20000000"),
                Map.entry("ANONYMOUS_VERIFY", "true"),
                Map.entry("DRAIN_SECONDS", "7"),
                Map.entry("TLS_CERT", "/c.pem"),
                Map.entry("TLS_KEY", "/k.pem")));
    assertThat(HttpConfig.from(env))
        .isEqualTo(
            new HttpConfig(
                new ListenerConfig(
                    "::1",
                    443,
                    Optional.of(new PemFiles(Path.of("/c.pem"), Path.of("/k.pem"))),
                    20,
                    Timeouts.DEFAULT),
                URI.create("https://guard.example"),
                URI.create("https://issue.example"),
                List.of(
                    AddressRange.parse("10.0.0.0/8").orElseThrow(),
                    AddressRange.parse("::1").orElseThrow()),
                Set.of("https://app.example", "http://localhost:3000"),
                20_000_000L,
                true,
                Duration.ofSeconds(7)));
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
                "MAX_CONNECTIONS", "0",
                "MAX_LARGE_BODIES_BYTES", "1",
                "TLS_CERT", "/c.pem"));
    HttpConfig.from(env);
    ConfigFault fault = catchThrowableOfType(ConfigFault.class, env::check);
    assertThat(fault.faults().stream().map(text -> text.substring(0, text.indexOf(' '))))
        .containsExactly(
            "PORT",
            "TLS_KEY",
            "MAX_CONNECTIONS",
            "TRUSTED_PROXIES",
            "TRUSTED_PROXIES",
            "CORS_ALLOWED_ORIGINS",
            "CORS_ALLOWED_ORIGINS",
            "MAX_LARGE_BODIES_BYTES");
  }
}
