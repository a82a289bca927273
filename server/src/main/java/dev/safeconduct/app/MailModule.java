package dev.safeconduct.app;

import dev.safeconduct.access.people.AccountEmails;
import dev.safeconduct.access.people.PasswordLinks;
import dev.safeconduct.approval.ApprovalEmails;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.MailTransports;
import dev.safeconduct.mail.OutboxSender;
import dev.safeconduct.passport.issue.ClaimEmails;
import dev.safeconduct.passport.issue.ClaimLinks;
import dev.safeconduct.signing.LinkTokens;
import java.nio.file.Path;
import java.util.HashMap;

/** All emails, the links in them, and the transport that sends them. */
record MailModule(
    PasswordLinks passwordLinks,
    ClaimLinks claimLinks,
    ApprovalEmails approvals,
    OutboxSender sender)
    implements FeatureModule {
  static MailModule of(Platform platform) {
    Store store = platform.store();
    var clock = platform.clock();
    var master = platform.keys().master();
    String baseUrl = platform.baseUrl();
    var passwordLinks =
        new PasswordLinks(
            store.accounts(), new LinkTokens(master.derive("password-link")), baseUrl, clock);
    var claimLinks =
        new ClaimLinks(
            store.claims(),
            new LinkTokens(master.derive("claim-link")),
            platform.config().http().issueUrl().toString(),
            clock);
    var approvals =
        new ApprovalEmails(
            store.approvals(), store.accounts(), store.members(), store.outbox(), baseUrl, clock);
    var templates = new HashMap<String, EmailTemplate>(approvals.writers());
    templates.putAll(
        new AccountEmails(store.accounts(), store.organizations(), passwordLinks, baseUrl)
            .writers());
    templates.putAll(
        new ClaimEmails(
                store.claims(),
                store.passports(),
                store.organizations(),
                claimLinks,
                platform.recorder())
            .writers());
    var transport =
        MailTransports.of(
            platform.config().notifications().mail(),
            outbox(platform.config()),
            platform.templates(),
            clock);
    return new MailModule(
        passwordLinks,
        claimLinks,
        approvals,
        new OutboxSender(store.outbox(), templates, transport, clock));
  }

  /** Returns the folder to which emails are written when no SMTP server is configured. */
  static Path outbox(ServerConfig config) {
    return config.storage().dataDir().resolve("outbox");
  }

  @Override
  public void start() {
    sender.start();
  }

  @Override
  public void close() {
    sender.close();
  }
}
