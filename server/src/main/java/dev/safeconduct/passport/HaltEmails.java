package dev.safeconduct.passport;

import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.mail.Email;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** Emails the owners when their organization, or every organization, is halted or resumed. */
public final class HaltEmails {
  /** The subject is the halted organization's id and the account's, with a space between. */
  private static final String HALTED = "organization_halted";

  private static final String RESUMED = "organization_resumed";

  /** The maximum number of emails about one halt. */
  private static final int MOST = 1_000;

  private final Halts halts;
  private final Organizations organizations;
  private final Accounts accounts;
  private final Memberships members;
  private final String baseUrl;

  public HaltEmails(
      Halts halts,
      Organizations organizations,
      Accounts accounts,
      Memberships members,
      String baseUrl) {
    this.halts = halts;
    this.organizations = organizations;
    this.accounts = accounts;
    this.members = members;
    this.baseUrl = baseUrl;
  }

  public Map<String, EmailTemplate> writers() {
    return Map.of(HALTED, this::halted, RESUMED, this::resumed);
  }

  /** Returns one email for each owner. */
  List<OutboxEntry> about(OrgId org, boolean halted, Instant now) {
    return members.owners(org.equals(Halt.ALL) ? Optional.empty() : Optional.of(org), MOST).stream()
        .map(account ->
            OutboxEntry.of(
                "mail_" + UUID.randomUUID().toString().replace("-", ""),
                halted ? HALTED : RESUMED,
                org.value() + " " + account,
                now))
        .toList();
  }

  /** Writes no email about a halt that has ended meanwhile. */
  private Optional<Email> halted(OutboxEntry entry) {
    List<Halt> present = halts.of(org(entry));
    return present.isEmpty()
        ? Optional.empty()
        : owner(entry)
            .map(owner ->
                email(
                    owner,
                    what(entry) + " is halted",
                    Stream.concat(
                            Stream.of(
                                what(entry)
                                    + " at "
                                    + baseUrl
                                    + " is halted. Every request of its agents is denied."),
                            present.stream().map(HaltEmails::reason))
                        .toList(),
                    "If you did not expect this, read in the audit log who halted it."));
  }

  private static String reason(Halt halt) {
    return (halt.byOperator() ? "Halted by an operator since " : "Halted since ")
        + halt.since()
        + ". The reason given: "
        + Email.inert(halt.reason());
  }

  /** Writes no email when a halt has begun since: the email about it says what is true now. */
  private Optional<Email> resumed(OutboxEntry entry) {
    List<Halt> present = halts.of(org(entry));
    boolean still = !present.isEmpty();
    return present.stream().anyMatch(halt -> halt.since().isAfter(entry.createdAt()))
        ? Optional.empty()
        : owner(entry)
            .map(owner ->
                email(
                    owner,
                    what(entry) + (still ? " is still halted" : " is resumed"),
                    List.of(
                        what(entry)
                            + " at "
                            + baseUrl
                            + (still
                                ? " is still halted: one of its two halts has ended, and its agents"
                                    + " stay stopped until the other ends too."
                                : " is resumed. " + effect(org(entry)))),
                    "If you did not expect this, halt it again and read in the audit log who"
                        + " resumed it."));
  }

  /** Returns what follows from the end of all halts of one kind: there may be others. */
  private String effect(OrgId org) {
    if (org.equals(Halt.ALL)) {
      return "Agents can act again, except those of an organization that is halted on its own.";
    }
    return halts.of(Halt.ALL).isEmpty()
        ? "Its agents can act again."
        : "Its agents stay stopped, because every organization is halted.";
  }

  private Email email(Account owner, String subject, List<String> text, String unexpected) {
    return new Email(
        owner.email().value(),
        subject,
        text,
        "Open the console",
        baseUrl + "/console/halt",
        unexpected);
  }

  private static OrgId org(OutboxEntry entry) {
    return new OrgId(entry.subject().split(" ", 2)[0]);
  }

  private Optional<Account> owner(OutboxEntry entry) {
    String[] parts = entry.subject().split(" ", 2);
    return parts.length < 2
        ? Optional.empty()
        : accounts.find(parts[1]).filter(Account::isReachable);
  }

  private String what(OutboxEntry entry) {
    OrgId org = org(entry);
    return org.equals(Halt.ALL)
        ? "Every organization"
        : "The organization \""
            + organizations.find(org).map(Organization::name).map(Email::inert).orElse(org.value())
            + "\"";
  }
}
