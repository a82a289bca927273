package dev.safeconduct.access.people;

import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.mail.Email;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.OutboxEntry;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Emails about a person's own account: a forgotten password, an invitation, a new way to sign in, a
 * second factor that has changed.
 */
public final class AccountEmails {
  /** The subject is the address as entered, whether or not it has an account. */
  static final String FORGOTTEN = "password_forgotten";

  /** The subject is the account's id and the organization's, with a space between. */
  static final String INVITATION = "invitation";

  /** The subject is the account's id. */
  static final String LINKED = "identity_linked";

  /** The subject is the account's id, the change, and a passkey's name, with spaces between. */
  static final String FACTOR = "second_factor_changed";

  private final Accounts accounts;
  private final Organizations organizations;
  private final PasswordLinks links;
  private final Optional<OidcConfig> provider;
  private final String baseUrl;

  /**
   * @param provider where people can sign in beside passwords, or alone
   */
  public AccountEmails(
      Accounts accounts,
      Organizations organizations,
      PasswordLinks links,
      Optional<OidcConfig> provider,
      String baseUrl) {
    this.accounts = accounts;
    this.organizations = organizations;
    this.links = links;
    this.provider = provider;
    this.baseUrl = baseUrl;
  }

  public Map<String, EmailTemplate> writers() {
    return Map.of(
        FORGOTTEN, this::forgotten,
        INVITATION, this::invitation,
        LINKED, this::linked,
        FACTOR, this::factor);
  }

  private Optional<Email> forgotten(OutboxEntry entry) {
    return EmailAddress.parse(entry.subject())
        .flatMap(accounts::byEmail)
        .map(account ->
            new Email(
                account.email().value(),
                "Set a new password",
                List.of(
                    "You, or somebody else, requested a new password at " + baseUrl + ".",
                    "The link works once, for one hour. Setting a new password signs you out everywhere."),
                "Set a new password",
                links.make(account, PasswordLinks.RESET),
                "If you did not request this, ignore this email. Your password stays the same."));
  }

  private Optional<Email> invitation(OutboxEntry entry) {
    String[] parts = entry.subject().split(" ", 2);
    Optional<Account> account = accounts.find(parts[0]);
    Optional<Organization> organization =
        parts.length == 2 ? organizations.find(new OrgId(parts[1])) : Optional.empty();
    if (account.isEmpty() || organization.isEmpty()) {
      return Optional.empty();
    }
    String name = Email.inert(organization.get().name());
    Optional<String> only = provider.filter(OidcConfig::only).map(OidcConfig::name);
    boolean known = account.get().password().isPresent() || only.isPresent();
    String signIn =
        only.map(where -> "Sign in with " + where + ".").orElse("Sign in with your password.");
    return Optional.of(
        new Email(
            account.get().email().value(),
            "You are now a member of \"" + name + "\"",
            List.of(
                "You have been added to the organization \"" + name + "\" at " + baseUrl + ".",
                known ? signIn : "Set a password first. The link works once, for three days."),
            known ? "Sign in" : "Set a password",
            known ? baseUrl + "/console" : links.make(account.get(), PasswordLinks.WELCOME),
            "If you did not expect this, ignore this email."));
  }

  private Optional<Email> linked(OutboxEntry entry) {
    return accounts
        .find(entry.subject())
        .filter(Account::isReachable)
        .map(account ->
            new Email(
                account.email().value(),
                "Your account has a new way to sign in",
                List.of(
                    "Somebody who has your email address at "
                        + provider.map(OidcConfig::name).map(Email::inert).orElse("the provider")
                        + " has signed in to your account at "
                        + baseUrl
                        + ", and does so from now on.",
                    "If the account had a password or passkeys, they are deleted. Sessions that began"
                        + " before have ended."),
                "Open the console",
                baseUrl + "/console",
                "If this was not you, tell an owner of your organization or the operator at once."));
  }

  private Optional<Email> factor(OutboxEntry entry) {
    String[] parts = entry.subject().split(" ", 3);
    String name = parts.length == 3 ? "\"" + Email.inert(parts[2]) + "\"" : "";
    String happened =
        switch (parts.length < 2 ? "" : parts[1]) {
          case "passkey_added" -> "The passkey " + name + " was added to your account";
          case "passkey_removed" -> "The passkey " + name + " was removed from your account";
          case "recovery_codes_made" ->
              "You have new recovery codes; the earlier ones do not work any more";
          case "recovery_code_used" -> "Somebody signed in to your account with a recovery code";
          case "second_factor_reset" ->
              "An administrator removed all passkeys and recovery codes from your account";
          default -> "";
        };
    return happened.isEmpty()
        ? Optional.empty()
        : accounts
            .find(parts[0])
            .filter(Account::isReachable)
            .map(account ->
                new Email(
                    account.email().value(),
                    "The sign-in to your account has changed",
                    List.of(happened + " at " + baseUrl + "."),
                    "Look at your account",
                    baseUrl + "/console/account",
                    "If this was not you, set a new password at once, remove passkeys that you do"
                        + " not know, and tell an owner of your organization."));
  }
}
