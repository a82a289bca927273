package dev.safeconduct.app;

import dev.safeconduct.access.people.OidcConfig;
import dev.safeconduct.audit.stream.AuditStream;
import dev.safeconduct.config.Secret;
import dev.safeconduct.console.OperatorPage.Setting;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.tlog.VerifierKey;
import dev.safeconduct.webhook.WebhookConfig;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The effective settings as the console shows them. Of a secret it shows only whether it is set.
 */
final class SettingsView {
  private SettingsView() {}

  static List<Setting> of(ServerConfig config) {
    var shown = new ArrayList<Setting>();
    HttpConfig http = config.http();
    KeyConfig keys = config.storage().keys();
    WebhookConfig webhooks = config.notifications().webhooks();
    add(shown, "BIND", http.server().bind());
    add(shown, "PORT", http.server().port());
    add(shown, "BASE_URL", http.baseUrl());
    add(shown, "ISSUE_URL", http.issueUrl());
    add(
        shown,
        "TLS_CERT",
        http.server().tls().map(tls -> tls.certificate().toString()).orElse("not set"));
    add(
        shown,
        "TLS_KEY",
        http.server().tls().map(tls -> tls.privateKey().toString()).orElse("not set"));
    add(shown, "TRUSTED_PROXIES", list(http.trustedProxies()));
    add(shown, "CORS_ALLOWED_ORIGINS", list(http.corsAllowedOrigins()));
    add(shown, "MAX_CONNECTIONS", http.server().maxConnections());
    add(shown, "DRAIN_SECONDS", http.drain().toSeconds());
    add(shown, "MAX_LARGE_BODIES_BYTES", http.maxLargeBodiesBytes());
    add(shown, "ANONYMOUS_VERIFY", http.anonymousVerify());
    add(shown, "DATA_DIR", config.storage().dataDir());
    add(shown, "DATABASE_URL", secret(config.storage().databaseUrl()));
    add(shown, "MAX_CLOCK_DIFFERENCE_MS", config.storage().mostClockDifference().toMillis());
    add(shown, "SAFECONDUCT_MASTER_KEY", secret(keys.masterKey().text()));
    add(shown, "PKCS11_CONFIG", keys.masterKey().module().map(Path::toString).orElse("not set"));
    add(shown, "PKCS11_PIN", secret(keys.masterKey().pin()));
    add(shown, "PKCS11_KEY", keys.masterKey().label());
    add(shown, "PKCS11_SIGNING", keys.moduleSigning());
    add(shown, "ADMIN_TOKEN", secret(config.operator().adminToken()));
    add(shown, "MCP_SERVER", config.operator().mcpServer());
    add(shown, "CELL", config.operator().cell().isNone() ? "none" : config.operator().cell());
    oidc(shown, config.operator());
    add(shown, "AUDIT_LOG_PUBLIC", config.audit().logPublic());
    add(
        shown,
        "AUDIT_WITNESSES",
        list(config.audit().witnesses().stream().map(VerifierKey::name).toList()));
    add(
        shown,
        "AUDIT_STREAM",
        list(config.audit().streams().stream().map(AuditStream::name).toList()));
    config.audit().streams().forEach(stream -> stream.shown().forEach((n, v) -> add(shown, n, v)));
    add(shown, "RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE", config.limits().failedAuthPerAddress());
    add(shown, "RATE_LOGIN_PER_MINUTE", config.limits().login());
    add(shown, "RATE_PUBLIC_PER_ADDRESS_PER_MINUTE", config.limits().publicPerAddress());
    add(shown, "RATE_VERIFY_PER_KEY_PER_MINUTE", config.limits().verifyPerKey());
    add(shown, "RATE_VERIFY_PER_ORG_PER_MINUTE", config.limits().verifyPerOrg());
    add(
        shown,
        "SECURITY_CONTACT",
        config.operator().securityContact().map(URI::toString).orElse("not set"));
    add(
        shown,
        "SAFECONDUCT_OWNER_EMAIL",
        config.operator().ownerEmail().map(EmailAddress::value).orElse("not set"));
    add(
        shown,
        "SMTP_URL",
        config
            .notifications()
            .mail()
            .smtp()
            .map(smtp -> smtp.host() + ":" + smtp.port())
            .orElse("not set"));
    add(shown, "MAIL_FROM", config.notifications().mail().from());
    // The address of a webhook endpoint often contains a token.
    add(shown, "WEBHOOK_URL", webhooks.url().isPresent() ? "set, not shown" : "not set");
    add(shown, "WEBHOOK_SECRET", webhooks.secret().isPresent() ? "set, not shown" : "not set");
    add(shown, "WEBHOOK_RETRY_ATTEMPTS", webhooks.policy().retries());
    add(shown, "WEBHOOK_RETRY_DELAY_MS", webhooks.policy().delay().toMillis());
    add(shown, "WEBHOOK_TIMEOUT_MS", webhooks.policy().timeout().toMillis());
    add(shown, "WEBHOOK_PRIVATE_NETWORKS", privateNetworks(webhooks));
    add(shown, "WEBHOOK_TOTAL_TIMEOUT_MS", webhooks.total().toMillis());
    add(shown, "EVENT_DENY_SPIKE", config.notifications().denySpike());
    add(shown, "ISSUE_REQUIRE_EMAIL", config.issue().requireEmail());
    add(shown, "ISSUE_SETUP_KEYS", config.issue().setupKeys());
    add(shown, "ISSUE_UNCLAIMED_DAYS", config.issue().unclaimedDays());
    add(shown, "ISSUE_MAX_CAPABILITIES", list(config.issue().maxCapabilities()));
    add(shown, "RATE_ISSUE_PER_ADDRESS_PER_HOUR", config.issue().perAddressPerHour());
    add(shown, "RATE_ISSUE_PER_EMAIL_PER_DAY", config.issue().perEmailPerDay());
    add(shown, "LOG_FORMAT", config.telemetry().logFormat());
    config.telemetry().otlp().shown().forEach((name, value) -> add(shown, name, value));
    return shown;
  }

  private static void oidc(List<Setting> shown, OperatorConfig config) {
    Optional<OidcConfig> oidc = config.oidc();
    add(shown, "OIDC_ISSUER", oidc.map(OidcConfig::issuer).orElse("not set"));
    add(shown, "OIDC_CLIENT_ID", oidc.map(o -> o.client().id()).orElse("not set"));
    add(
        shown,
        "OIDC_CA",
        oidc.flatMap(OidcConfig::authorities).map(a -> a.file().toString()).orElse("not set"));
    add(shown, "OIDC_CLIENT_SECRET", secret(oidc.map(o -> o.client().secret())));
    add(shown, "OIDC_NAME", oidc.map(OidcConfig::name).orElse("not set"));
    add(shown, "OIDC_SCOPES", oidc.map(o -> String.join(" ", o.scopes())).orElse("not set"));
    add(shown, "OIDC_GROUPS_CLAIM", oidc.map(OidcConfig::groupsClaim).orElse("not set"));
    add(
        shown,
        "OIDC_GROUP_ROLES",
        list(
            oidc.map(OidcConfig::roles).orElse(List.of()).stream()
                .map(each -> each.group() + "=" + each.org() + ":" + each.role().wire())
                .toList()));
    add(shown, "MFA_REQUIRED", config.mfa().wire());
    add(shown, "OIDC_ONLY", oidc.map(OidcConfig::only).orElse(false));
  }

  private static String privateNetworks(WebhookConfig webhooks) {
    return webhooks.othersMayBePrivate()
        ? "allow"
        : webhooks.operatorsMayBePrivate() ? "the operator's endpoints only" : "refuse";
  }

  private static void add(List<Setting> shown, String name, Object value) {
    shown.add(new Setting(name, value.toString()));
  }

  private static String list(Iterable<?> values) {
    String text = String.join(", ", texts(values));
    return text.isEmpty() ? "none" : text;
  }

  private static List<String> texts(Iterable<?> values) {
    var texts = new ArrayList<String>();
    values.forEach(value -> texts.add(value.toString()));
    return texts;
  }

  private static String secret(Optional<Secret> secret) {
    return secret.isPresent() ? "set, not shown" : "not set";
  }
}
