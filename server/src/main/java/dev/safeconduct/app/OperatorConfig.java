package dev.safeconduct.app;

import dev.safeconduct.access.MfaPolicy;
import dev.safeconduct.access.people.OidcConfig;
import dev.safeconduct.access.people.WebAuthn;
import dev.safeconduct.config.Env;
import dev.safeconduct.config.Secret;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.identity.EmailAddress;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Settings of the operator.
 *
 * @param adminToken opens every route; at least 24 characters; created at first start when absent
 * @param ownerEmail the first owner's email address
 * @param securityContact where to report a vulnerability: a {@code mailto:} or {@code https:} URI
 * @param mcpServer whether {@code POST /mcp} answers
 * @param cell the cell that this deployment is
 * @param oidc the identity provider where people sign in
 * @param mfa who must sign in with a second factor
 */
record OperatorConfig(
    Optional<Secret> adminToken,
    Optional<EmailAddress> ownerEmail,
    Optional<URI> securityContact,
    boolean mcpServer,
    Cell cell,
    Optional<OidcConfig> oidc,
    MfaPolicy mfa) {
  private static final int MIN_ADMIN_TOKEN = 24;

  /** RFC 9116 section 2.5.3 also allows {@code tel:}. */
  private static final Pattern CONTACT =
      Pattern.compile("(?:mailto:[^\\s<>\"{}|^`\\\\]+@|https://|tel:)[^\\s<>\"{}|^`\\\\%]+");

  /** Returns whether people can sign in by a password. */
  boolean passwords() {
    return oidc.filter(OidcConfig::only).isEmpty();
  }

  static OperatorConfig from(Env env, URI baseUrl) {
    var config = from(env);
    if (config.mfa != MfaPolicy.FALSE && !config.passwords()) {
      env.fault("MFA_REQUIRED", "cannot be set with OIDC_ONLY: the provider asks for the factors");
    } else if (config.mfa != MfaPolicy.FALSE && !WebAuthn.isPossible(baseUrl)) {
      env.fault(
          "MFA_REQUIRED",
          "needs a BASE_URL for which browsers offer passkeys: https with a domain name, or"
              + " http://localhost");
    }
    return config;
  }

  private static OperatorConfig from(Env env) {
    return new OperatorConfig(
        env.secret("ADMIN_TOKEN", MIN_ADMIN_TOKEN),
        ownerEmail(env),
        securityContact(env),
        env.bool("MCP_SERVER", false),
        cell(env),
        OidcConfig.from(env),
        MfaPolicy.from(env));
  }

  private static Cell cell(Env env) {
    Optional<String> text = env.string("CELL");
    Optional<Cell> cell = text.flatMap(Cell::parse);
    if (text.isPresent() && cell.isEmpty()) {
      env.fault("CELL", "must be 1 to " + Cell.MAX_LENGTH + " lower-case letters and digits");
    }
    return cell.orElse(Cell.NONE);
  }

  private static Optional<EmailAddress> ownerEmail(Env env) {
    Optional<String> text = env.string("SAFECONDUCT_OWNER_EMAIL");
    Optional<EmailAddress> email = text.flatMap(EmailAddress::parse);
    if (text.isPresent() && email.isEmpty()) {
      env.fault("SAFECONDUCT_OWNER_EMAIL", "must be an email address");
    }
    return email;
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
}
