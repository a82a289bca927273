package dev.safeconduct.access.people;

import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.mail.Email;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.OutboxEntry;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Emails about a person's own account: a forgotten password, an invitation. */
public final class AccountEmails {
  /** The subject is the address as entered, whether or not it has an account. */
  static final String FORGOTTEN = "password_forgotten";

  /** The subject is the account's id and the organization's, with a space between. */
  static final String INVITATION = "invitation";

  private final Accounts accounts;
  private final Organizations organizations;
  private final PasswordLinks links;
  private final Optional<String> provider;
  private final String baseUrl;

  /**
   * @param provider the name of the identity provider where people sign in if passwords are closed
   */
  public AccountEmails(
      Accounts accounts,
      Organizations organizations,
      PasswordLinks links,
      Optional<String> provider,
      String baseUrl) {
    this.accounts = accounts;
    this.organizations = organizations;
    this.links = links;
    this.provider = provider;
    this.baseUrl = baseUrl;
  }

  public Map<String, EmailTemplate> writers() {
    return Map.of(FORGOTTEN, this::forgotten, INVITATION, this::invitation);
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
    boolean known = account.get().password().isPresent() || provider.isPresent();
    String signIn =
        provider.map(where -> "Sign in with " + where + ".").orElse("Sign in with your password.");
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
}
