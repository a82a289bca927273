package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.db.PostgresUrl;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresUrlTest {
  @Test
  void readsEveryPart() {
    PostgresUrl url =
        PostgresUrl.parse(
            "postgresql://al%40ice:p%3Aa%2Bs+s@db.example:5433/my%20db?sslmode=require"
                + "&application_name=x");
    assertThat(url.jdbc().getFirst()).isEqualTo("jdbc:postgresql://db.example:5433/my%20db");
    assertThat(url.properties())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "user",
                "al@ice",
                "password",
                "p:a+s+s",
                "sslmode",
                "require",
                "ApplicationName",
                "x"));
  }

  @Test
  void fillsInWhatIsMissing() {
    assertThat(PostgresUrl.parse("postgres://bob@").jdbc().getFirst())
        .isEqualTo("jdbc:postgresql://localhost/bob");
  }

  @Test
  void namesEachHost() {
    PostgresUrl url =
        PostgresUrl.parse("postgresql://u@a:1,b,[::1]:2/db?target_session_attrs=read-write");
    assertThat(url.jdbc())
        .containsExactly(
            "jdbc:postgresql://a:1/db", "jdbc:postgresql://b/db", "jdbc:postgresql://[::1]:2/db");
    assertThat(url.properties()).containsEntry("targetServerType", "primary");
  }

  /** What is not known is not swallowed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "target_session_attrs=any        | target_session_attrs must be read-write or primary",
        "target_session_attrs=standby    | target_session_attrs must be read-write or primary",
        "targetServerType=any            | targetServerType must be read-write or primary",
        "keepalives_idle=10              | keepalives_idle is not a parameter",
        "sslMode=require                 | sslMode is not a parameter",
        "loadBalanceHosts=true           | loadBalanceHosts has no effect",
        "connect_timeout=soon            | connect_timeout must be a number of seconds",
        "socketTimeout=-1                | socketTimeout must be a number of seconds",
        "sslmode                         | must be name=value",
        "sslmode=require&                | must be name=value",
        "application_name=%2             | a percent sign must be followed by two hex digits"
      })
  void refusesParametersByName(String query, String message) {
    assertThatThrownBy(() -> PostgresUrl.parse("postgresql://u:hush@h/db?" + query))
        .isInstanceOf(StoreFault.class)
        .hasMessageContaining(message)
        .hasMessageNotContaining("hush");
  }

  @Test
  void showsNoPassword() {
    String secret = "postgresql://alice:hush@h/db?password=hush";
    assertThat(PostgresUrl.parse(secret)).asString().doesNotContain("hush");
    assertThat(StoreConfig.postgres(secret)).asString().doesNotContain("hush");
  }

  @Test
  void refusesOtherAddresses() {
    assertThatThrownBy(() -> PostgresUrl.parse("mysql://h/db")).isInstanceOf(StoreFault.class);
    assertThatThrownBy(() -> PostgresUrl.parse("h/db")).isInstanceOf(StoreFault.class);
    assertThatThrownBy(() -> PostgresUrl.parse("postgresql://a,,b/db"))
        .isInstanceOf(StoreFault.class)
        .hasMessageContaining("a host between the commas is missing");
  }
}
