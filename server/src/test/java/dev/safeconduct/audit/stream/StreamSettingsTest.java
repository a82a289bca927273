package dev.safeconduct.audit.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Faults of the settings are all named at the start; addresses become what is called. */
final class StreamSettingsTest {
  static AuditStream read(String url) {
    return read(Map.of("AUDIT_STREAM", "a", "AUDIT_STREAM_A_URL", url));
  }

  static AuditStream read(Map<String, String> settings) {
    var env = new Env(settings);
    List<AuditStream> streams = AuditStream.from(env);
    env.check();
    return streams.getFirst();
  }

  @Test
  void addressesAreCompleted() {
    assertThat(read("splunk+https://s.example:8088").url())
        .hasToString("https://s.example:8088/services/collector/event");
    assertThat(read("otlp+https://c.example:4318").url())
        .hasToString("https://c.example:4318/v1/logs");
    assertThat(read("otlp+http://c.example/x/v1/logs").url())
        .hasToString("http://c.example/x/v1/logs");
    assertThat(read("https://l.example/in").url()).hasToString("https://l.example/in");
    assertThat(read("https://l.example").url()).hasToString("https://l.example/");
    assertThat(read("syslog+tls://s.example").port()).isEqualTo(6514);
    assertThat(read("syslog+tcp://s.example").port()).isEqualTo(601);
  }

  @Test
  void whatTheClientWouldRefuseIsNamedAtTheStart() {
    var env =
        new Env(
            Map.of(
                "AUDIT_STREAM", "a, b",
                "AUDIT_STREAM_A_URL", "https://a.example",
                "AUDIT_STREAM_A_HEADER", "Host: secret.example",
                "AUDIT_STREAM_B_URL", "syslog+tcp://b.example:65536"));
    assertThat(AuditStream.from(env)).hasSize(1);
    assertThatThrownBy(env::check)
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining("AUDIT_STREAM_A_HEADER must not be a header that the connection")
        .hasMessageContaining("AUDIT_STREAM_B_URL must be")
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @CsvSource({
    "Transfer-Encoding, that the connection needs",
    "authorization, Authorization beside"
  })
  void aHeaderThatTheServiceSetsIsRefused(String header, String message) {
    var env =
        new Env(
            Map.of(
                "AUDIT_STREAM", "a",
                "AUDIT_STREAM_A_URL", "https://a.example",
                "AUDIT_STREAM_A_TOKEN", "t",
                "AUDIT_STREAM_A_HEADER", header + ": secret"));
    assertThat(AuditStream.from(env)).hasSize(1);
    assertThatThrownBy(env::check)
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining(message)
        .hasMessageNotContaining("secret");
  }

  @Test
  void allFaultsAreNamed() {
    var env =
        new Env(
            Map.ofEntries(
                Map.entry("AUDIT_STREAM", "siem, lake, hec, siem, Bad-Name, old"),
                Map.entry("AUDIT_STREAM_SIEM_URL", "syslog://host"),
                Map.entry("AUDIT_STREAM_SIEM_FROM", "yesterday"),
                Map.entry("AUDIT_STREAM_LAKE_URL", "https://user:secret@lake.example/"),
                Map.entry("AUDIT_STREAM_LAKE_CA", "/nowhere/ca.pem"),
                Map.entry("AUDIT_STREAM_HEC_URL", "syslog+tls://hec.example"),
                Map.entry("AUDIT_STREAM_HEC_TOKEN", "t"),
                Map.entry("AUDIT_STREAM_HEC_KEY", "key.pem"),
                Map.entry("AUDIT_STREAM_HEC_MESSAGE_BYTES", "100"),
                Map.entry("AUDIT_STREAM_SEIM_TOKEN", "misspelled")));
    assertThat(AuditStream.from(env)).isEmpty();
    assertThatThrownBy(env::check)
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining("AUDIT_STREAM must not name siem twice")
        .hasMessageContaining("AUDIT_STREAM must be names of lower-case letters")
        .hasMessageContaining("AUDIT_STREAM_SIEM_URL must be syslog+tls://host")
        .hasMessageContaining("AUDIT_STREAM_SIEM_FROM must be now or start")
        .hasMessageContaining("AUDIT_STREAM_LAKE_URL must be")
        .hasMessageContaining("AUDIT_STREAM_LAKE_CA cannot be used")
        .hasMessageContaining("AUDIT_STREAM_HEC_TOKEN is for HTTP")
        .hasMessageContaining("AUDIT_STREAM_HEC_CERT and AUDIT_STREAM_HEC_KEY must both be set")
        .hasMessageContaining("AUDIT_STREAM_HEC_MESSAGE_BYTES must be a whole number from 2048")
        .hasMessageContaining("AUDIT_STREAM_OLD_URL is required")
        .hasMessageContaining("AUDIT_STREAM_SEIM_TOKEN belongs to no destination")
        .hasMessageNotContaining("secret");
  }
}
