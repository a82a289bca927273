package dev.safeconduct.access.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.access.people.OidcConfig.GroupRole;
import dev.safeconduct.config.ConfigFault;
import dev.safeconduct.config.Env;
import dev.safeconduct.identity.Role;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A setting of the identity provider that is not valid stops the start and is named. */
final class OidcConfigTest {
  private static final Map<String, String> VALID =
      Map.of(
          "OIDC_ISSUER", "https://id.example.com/realms/main",
          "OIDC_CLIENT_ID", "safeconduct",
          "OIDC_CLIENT_SECRET", "a-long-secret",
          "OIDC_GROUP_ROLES", "admins=first:owner");

  private static OidcConfig read(String name, String value) {
    var settings = new HashMap<>(VALID);
    settings.put(name, value);
    var env = new Env(settings);
    var config = OidcConfig.from(env);
    env.check();
    return config.orElseThrow();
  }

  @Test
  void groupsHaveAnyName() {
    OidcConfig config =
        read("OIDC_GROUP_ROLES", "admins=first:owner, a=b:c=org_1:member,/x y=org_1:auditor");
    assertThat(config.roles())
        .containsExactly(
            new GroupRole("admins", "first", Role.OWNER),
            new GroupRole("a=b:c", "org_1", Role.MEMBER),
            new GroupRole("/x y", "org_1", Role.AUDITOR));
    assertThat(config.name()).isEqualTo("id.example.com");
    assertThat(config.scopes()).containsExactly("openid", "email", "profile");
    assertThat(config.only()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "OIDC_ISSUER, http://id.example.com",
    "OIDC_ISSUER, https://user@id.example.com",
    "OIDC_ISSUER, https://id.example.com?x=y",
    "OIDC_ISSUER, ftp://id.example.com",
    "OIDC_ISSUER, id.example.com",
    "OIDC_ISSUER, http://localhost.example.com",
    "OIDC_ISSUER, ''",
    "OIDC_CLIENT_ID, ''",
    "OIDC_CLIENT_SECRET, ''",
    "OIDC_CLIENT_SECRET, short",
    "OIDC_SCOPES, email profile",
    "OIDC_ONLY, yes",
    "OIDC_CA, /no/such/file.pem",
    "OIDC_CA, /dev/null",
    "OIDC_GROUP_ROLES, admins",
    "OIDC_GROUP_ROLES, admins=first",
    "OIDC_GROUP_ROLES, admins:owner",
    "OIDC_GROUP_ROLES, =first:owner",
    "OIDC_GROUP_ROLES, admins=My organization:owner",
    "OIDC_GROUP_ROLES, admins=first:root",
    "OIDC_GROUP_ROLES, admins=first:operator",
    "OIDC_GROUP_ROLES, 'ok=first:owner,admins=first:'",
  })
  void aFaultNamesItsSetting(String name, String value) {
    assertThatThrownBy(() -> read(name, value))
        .isInstanceOf(ConfigFault.class)
        .hasMessageContaining(name);
  }

  @Test
  void aShortSecretIsNotSaidToBeMissing() {
    assertThatThrownBy(() -> read("OIDC_CLIENT_SECRET", "short"))
        .hasMessageContaining("OIDC_CLIENT_SECRET must have at least 8 characters")
        .message()
        .doesNotContain("missing");
  }

  @ParameterizedTest
  @CsvSource({"http://localhost:8180", "http://127.0.0.1", "'http://[::1]:8080/x'"})
  void onThisMachineTheIssuerMayBePlainHttp(String issuer) {
    assertThat(read("OIDC_ISSUER", issuer).issuer()).isEqualTo(issuer);
  }
}
