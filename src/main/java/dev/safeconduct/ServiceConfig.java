package dev.safeconduct;

import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.RequestLimits;
import dev.safeconduct.audit.tlog.SignedNote;
import dev.safeconduct.audit.tlog.VerifierKey;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import dev.safeconduct.http.HttpConfig;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.issuance.IssueConfig;
import dev.safeconduct.mail.MailConfig;
import dev.safeconduct.trace.TraceConfig;
import dev.safeconduct.webhook.WebhookConfig;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Everything the environment says, read once.
 *
 * @param dataDir where SQLite, the master key file and the first-run file live
 * @param databaseUrl PostgreSQL in place of SQLite
 * @param adminToken opens every route; at least 24 characters; made at first start when absent
 * @param masterKey seals secrets at rest; a file in {@code dataDir} serves when none is named
 * @param moduleSigning which signing keys are in the security module
 * @param auditLogPublic whether anybody may read the Merkle log's checkpoints and tiles
 * @param witnesses whose cosignatures of checkpoints are taken in
 * @param webhooks whom status changes are told, and how
 * @param failedAuthPerMinute how many wrong credentials one address may send; 0 for no limit
 * @param publicPerMinute how often one address may ask without a credential; 0 for no limit
 * @param verifyPerKeyPerMinute how often one key may ask for decisions; 0 for no limit
 * @param verifyPerOrgPerMinute how often all keys of an organization may; 0 for no limit
 * @param loginPerMinute how often one address may try to sign in to one account; 0 for no limit
 * @param ownerEmail the first owner's address
 * @param securityContact whom to tell of a weakness: a {@code mailto:} or {@code https:} address
 * @param traces where requests are traced to
 * @param logFormat {@code text} or {@code json}
 */
record ServiceConfig(
    HttpConfig http,
    Path dataDir,
    Optional<Secret> databaseUrl,
    Optional<Secret> adminToken,
    MasterKeySource masterKey,
    ModuleSigning moduleSigning,
    WebhookConfig webhooks,
    int failedAuthPerMinute,
    boolean auditLogPublic,
    List<VerifierKey> witnesses,
    int publicPerMinute,
    int verifyPerKeyPerMinute,
    int verifyPerOrgPerMinute,
    int loginPerMinute,
    Optional<EmailAddress> ownerEmail,
    Optional<URI> securityContact,
    MailConfig mail,
    IssueConfig issue,
    TraceConfig traces,
    String logFormat) {
  private static final int MIN_ADMIN_TOKEN = 24;
  private static final Set<String> LOG_FORMATS = Set.of("text", "json");

  /** RFC 9116 section 2.5.3 also knows {@code tel:}. */
  private static final Pattern CONTACT =
      Pattern.compile("(?:mailto:[^\\s<>\"{}|^`\\\\]+@|https://|tel:)[^\\s<>\"{}|^`\\\\%]+");

  /**
   * Reads the environment.
   *
   * @throws dev.safeconduct.config.ConfigFault listing everything that does not fit
   */
  static ServiceConfig from(Env env) {
    HttpConfig http = HttpConfig.from(env);
    MasterKeySource masterKey =
        MasterKeySource.from(env, Path.of(env.string("DATA_DIR", "./data")));
    ServiceConfig config =
        new ServiceConfig(
            http,
            Path.of(env.string("DATA_DIR", "./data")),
            env.secret("DATABASE_URL", 1),
            env.secret("ADMIN_TOKEN", MIN_ADMIN_TOKEN),
            masterKey,
            ModuleSigning.from(env, masterKey),
            WebhookConfig.from(env, http.isLoopbackOnly()),
            env.integer("RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE", 60, 0, 1_000_000),
            env.bool("AUDIT_LOG_PUBLIC", true),
            witnesses(env),
            env.integer("RATE_PUBLIC_PER_ADDRESS_PER_MINUTE", 600, 0, 100_000_000),
            env.integer("RATE_VERIFY_PER_KEY_PER_MINUTE", 0, 0, 100_000_000),
            env.integer("RATE_VERIFY_PER_ORG_PER_MINUTE", 0, 0, 100_000_000),
            env.integer("RATE_LOGIN_PER_MINUTE", 5, 0, 1_000_000),
            ownerEmail(env),
            securityContact(env),
            MailConfig.from(env),
            IssueConfig.from(env),
            TraceConfig.from(env),
            // The logging library reads it by itself, when the first line is logged.
            env.string("LOG_FORMAT", "text"));
    if (!LOG_FORMATS.contains(config.logFormat())) {
      env.fault("LOG_FORMAT", "must be text or json");
    }
    if (config.databaseUrl().isPresent()) {
      if (!config.databaseUrl().get().reveal().startsWith("postgresql://")
          && !config.databaseUrl().get().reveal().startsWith("postgres://")) {
        env.fault("DATABASE_URL", "must begin with postgresql://");
      }
      if (!config.masterKey().isShared()) {
        env.fault(
            "SAFECONDUCT_MASTER_KEY",
            "is required with DATABASE_URL: the keys live in the database, and every node must"
                + " open them");
      }
    }
    env.refuseUnknown();
    env.check();
    return config;
  }

  private static List<VerifierKey> witnesses(Env env) {
    var witnesses = new ArrayList<VerifierKey>();
    for (String text : env.list("AUDIT_WITNESSES")) {
      Optional<VerifierKey> key =
          VerifierKey.parse(text).filter(each -> each.algorithm() == SignedNote.COSIGNATURE);
      if (key.isEmpty()) {
        env.fault(
            "AUDIT_WITNESSES",
            "must be verifier keys of witnesses (name+hash+key, algorithm 4), parted by commas");
      }
      key.ifPresent(witnesses::add);
    }
    return witnesses;
  }

  /** How often anybody may ask, counted on this node and with all nodes. */
  RequestLimits requestLimits(RateLimits local, RateLimits shared) {
    return new RequestLimits(
        local, shared, publicPerMinute, verifyPerKeyPerMinute, verifyPerOrgPerMinute);
  }

  private static Optional<URI> securityContact(Env env) {
    Optional<String> text = env.string("SECURITY_CONTACT");
    if (text.isPresent() && !CONTACT.matcher(text.get()).matches()) {
      env.fault(
          "SECURITY_CONTACT", "must be an address like mailto:security@example.com or https://…");
      return Optional.empty();
    }
    return text.map(URI::create);
  }

  private static Optional<EmailAddress> ownerEmail(Env env) {
    Optional<String> text = env.string("SAFECONDUCT_OWNER_EMAIL");
    Optional<EmailAddress> email = text.flatMap(EmailAddress::parse);
    if (text.isPresent() && email.isEmpty()) {
      env.fault("SAFECONDUCT_OWNER_EMAIL", "must be an e-mail address");
    }
    return email;
  }
}
