package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.db.PostgresUrl;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.db.StoreFault;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PostgresUrlTest {
  @Test
  void readsEveryPart() {
    PostgresUrl url =
        PostgresUrl.parse(
            "postgresql://al%40ice:p%3Aa%2Bs+s@db.example:5433/my%20db?sslmode=require"
                + "&application_name=x");
    assertThat(url.jdbc()).isEqualTo("jdbc:postgresql://db.example:5433/my%20db");
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
    assertThat(PostgresUrl.parse("postgres://bob@").jdbc())
        .isEqualTo("jdbc:postgresql://localhost/bob");
    assertThat(PostgresUrl.parse("postgresql://a:1,b:2/db").jdbc())
        .isEqualTo("jdbc:postgresql://a:1,b:2/db");
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
  }
}
