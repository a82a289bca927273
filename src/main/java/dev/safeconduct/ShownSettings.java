package dev.safeconduct;

import dev.safeconduct.audit.tlog.VerifierKey;
import dev.safeconduct.config.Secret;
import dev.safeconduct.console.OperatorPage.Setting;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.trace.TraceConfig;
import dev.safeconduct.webhook.WebhookConfig;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The settings in force as the console shows them: of a secret only whether there is one. */
final class ShownSettings {
  private ShownSettings() {}

  static List<Setting> of(ServiceConfig config) {
    var shown = new ArrayList<Setting>();
    add(shown, "BIND", config.http().bind());
    add(shown, "PORT", config.http().port());
    add(shown, "BASE_URL", config.http().baseUrl());
    add(shown, "ISSUE_URL", config.http().issueUrl());
    add(
        shown,
        "TLS_CERT",
        config.http().tls().map(tls -> tls.certificate().toString()).orElse("not set"));
    add(
        shown,
        "TLS_KEY",
        config.http().tls().map(tls -> tls.privateKey().toString()).orElse("not set"));
    add(shown, "TRUSTED_PROXIES", list(config.http().trustedProxies()));
    add(shown, "CORS_ALLOWED_ORIGINS", list(config.http().corsAllowedOrigins()));
    add(shown, "MAX_LARGE_BODIES_BYTES", config.http().maxLargeBodiesBytes());
    add(shown, "ANONYMOUS_VERIFY", config.http().anonymousVerify());
    add(shown, "DATA_DIR", config.dataDir());
    add(shown, "DATABASE_URL", secret(config.databaseUrl()));
    add(shown, "SAFECONDUCT_MASTER_KEY", secret(config.masterKey().text()));
    add(shown, "PKCS11_CONFIG", config.masterKey().module().map(Path::toString).orElse("not set"));
    add(shown, "PKCS11_PIN", secret(config.masterKey().pin()));
    add(shown, "PKCS11_KEY", config.masterKey().label());
    add(shown, "PKCS11_SIGNING", config.moduleSigning());
    add(shown, "ADMIN_TOKEN", secret(config.adminToken()));
    add(shown, "AUDIT_LOG_PUBLIC", config.auditLogPublic());
    add(
        shown,
        "AUDIT_WITNESSES",
        list(config.witnesses().stream().map(VerifierKey::name).toList()));
    add(shown, "RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE", config.failedAuthPerMinute());
    add(shown, "RATE_LOGIN_PER_MINUTE", config.loginPerMinute());
    add(shown, "RATE_PUBLIC_PER_ADDRESS_PER_MINUTE", config.publicPerMinute());
    add(shown, "RATE_VERIFY_PER_KEY_PER_MINUTE", config.verifyPerKeyPerMinute());
    add(shown, "RATE_VERIFY_PER_ORG_PER_MINUTE", config.verifyPerOrgPerMinute());
    add(shown, "SECURITY_CONTACT", config.securityContact().map(URI::toString).orElse("not set"));
    add(
        shown,
        "SAFECONDUCT_OWNER_EMAIL",
        config.ownerEmail().map(EmailAddress::value).orElse("not set"));
    add(
        shown,
        "SMTP_URL",
        config.mail().smtp().map(smtp -> smtp.host() + ":" + smtp.port()).orElse("not set"));
    add(shown, "MAIL_FROM", config.mail().from());
    // Addresses of receivers often hold a token, so only whether there is one.
    add(shown, "WEBHOOK_URL", config.webhooks().url().isPresent() ? "set, not shown" : "not set");
    add(
        shown,
        "WEBHOOK_SECRET",
        config.webhooks().secret().isPresent() ? "set, not shown" : "not set");
    add(shown, "WEBHOOK_RETRY_ATTEMPTS", config.webhooks().policy().retries());
    add(shown, "WEBHOOK_RETRY_DELAY_MS", config.webhooks().policy().delay().toMillis());
    add(shown, "WEBHOOK_TIMEOUT_MS", config.webhooks().policy().timeout().toMillis());
    add(shown, "WEBHOOK_PRIVATE_NETWORKS", privateNetworks(config.webhooks()));
    add(shown, "WEBHOOK_TOTAL_TIMEOUT_MS", config.webhooks().total().toMillis());
    add(shown, "ISSUE_REQUIRE_EMAIL", config.issue().requireEmail());
    add(shown, "ISSUE_SETUP_KEYS", config.issue().setupKeys());
    add(shown, "ISSUE_MAX_CAPABILITIES", list(config.issue().maxCapabilities()));
    add(shown, "RATE_ISSUE_PER_ADDRESS_PER_HOUR", config.issue().perAddressPerHour());
    add(shown, "RATE_ISSUE_PER_EMAIL_PER_DAY", config.issue().perEmailPerDay());
    add(shown, "LOG_FORMAT", config.logFormat());
    TraceConfig traces = config.traces();
    add(
        shown,
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        traces.collector().map(URI::toString).orElse("not set"));
    add(
        shown,
        "OTEL_EXPORTER_OTLP_HEADERS",
        traces.headers().isEmpty() ? "not set" : "set, not shown");
    add(shown, "OTEL_EXPORTER_OTLP_PROTOCOL", TraceConfig.PROTOCOL_SPOKEN);
    add(shown, "OTEL_SERVICE_NAME", traces.serviceName());
    add(shown, "OTEL_RESOURCE_ATTRIBUTES", list(traces.attributes().entrySet()));
    add(shown, "OTEL_TRACES_SAMPLER", traces.sampling());
    add(shown, "OTEL_TRACES_SAMPLER_ARG", traces.share());
    return shown;
  }

  private static String privateNetworks(WebhookConfig webhooks) {
    return webhooks.othersMayBePrivate()
        ? "allow"
        : webhooks.operatorsMayBePrivate() ? "the operator's receivers only" : "refuse";
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
