package dev.safeconduct.app;

import dev.safeconduct.access.LocalRateLimits;
import dev.safeconduct.access.people.AccountEmails;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.access.people.PasswordLinks;
import dev.safeconduct.approval.ApprovalEmails;
import dev.safeconduct.approval.Approvals;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.MailTransport;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxSender;
import dev.safeconduct.passport.HaltEmails;
import dev.safeconduct.passport.Halts;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.StatusEmails;
import dev.safeconduct.passport.issue.ClaimEmails;
import dev.safeconduct.passport.issue.ClaimLinks;
import dev.safeconduct.passport.issue.Claims;
import dev.safeconduct.signing.LinkTokens;
import java.nio.file.Path;
import java.util.HashMap;

/** All emails, the links in them, and the transport that sends them. */
record MailModule(
    PasswordLinks passwordLinks,
    ClaimLinks claimLinks,
    ApprovalEmails approvals,
    HaltEmails halts,
    StatusEmails statuses,
    OutboxSender sender)
    implements FeatureModule {
  static MailModule of(Platform platform) {
    Storage store = platform.store();
    var clock = platform.clock();
    var master = platform.keys().master();
    String baseUrl = platform.baseUrl();
    var passwordLinks =
        new PasswordLinks(
            new Accounts(store), new LinkTokens(master.derive("password-link")), baseUrl, clock);
    var claimLinks =
        new ClaimLinks(
            new Claims(store),
            new LinkTokens(master.derive("claim-link")),
            platform.config().http().issueUrl().toString(),
            clock);
    var approvals =
        new ApprovalEmails(new Approvals(store), new Memberships(store), baseUrl, clock);
    var templates = new HashMap<String, EmailTemplate>(approvals.writers());
    templates.putAll(
        new AccountEmails(
                new Accounts(store),
                new Organizations(store),
                passwordLinks,
                platform.config().operator().oidc(),
                baseUrl)
            .writers());
    templates.putAll(
        new ClaimEmails(
                new Claims(store),
                new Passports(store),
                new Organizations(store),
                claimLinks,
                platform.recorder())
            .writers());
    var halts =
        new HaltEmails(
            new Halts(store),
            new Organizations(store),
            new Accounts(store),
            new Memberships(store),
            baseUrl);
    templates.putAll(halts.writers());
    var statuses =
        new StatusEmails(
            new Passports(store),
            new Accounts(store),
            new Memberships(store),
            new LocalRateLimits(clock),
            baseUrl);
    templates.putAll(statuses.writers());
    var transport =
        MailTransport.of(
            platform.config().notifications().mail(),
            outbox(platform.config()),
            platform.templates(),
            clock);
    var sender = new OutboxSender(new Outbox(store), templates, transport, clock);
    var metrics = platform.metrics();
    metrics.gauge(
        "safeconduct_mail_waiting",
        "Emails of all nodes that are due and not yet sent",
        sender::waiting);
    metrics.growing("safeconduct_mail_sent", "Emails that this node has sent", sender::sent);
    metrics.growing(
        "safeconduct_mail_given_up",
        "Emails that this node has given up, after three days or because they are refused",
        sender::givenUp);
    return new MailModule(passwordLinks, claimLinks, approvals, halts, statuses, sender);
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
