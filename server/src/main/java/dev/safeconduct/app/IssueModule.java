package dev.safeconduct.app;

import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.issue.ClaimPage;
import dev.safeconduct.passport.issue.Claims;
import dev.safeconduct.passport.issue.ExpireUnclaimed;
import dev.safeconduct.passport.issue.IssueByOrganization;
import dev.safeconduct.passport.issue.IssueEndpoints;
import dev.safeconduct.passport.issue.IssueRequest;
import dev.safeconduct.passport.issue.IssueWithoutLogin;
import dev.safeconduct.passport.issue.PresetEndpoints;
import dev.safeconduct.passport.issue.Presets;
import dev.safeconduct.passport.issue.ResendClaim;
import dev.safeconduct.passport.issue.RevokeUnclaimed;
import dev.safeconduct.passport.issue.TakeClaim;
import java.util.List;

/** Passports issued without an account, and the pages on which people claim them. */
record IssueModule(List<Route> routes, ExpireUnclaimed expire) implements FeatureModule {
  static IssueModule of(
      Platform platform,
      AccessModule access,
      MailModule mail,
      PeopleModule people,
      PassportModule passports,
      WebhookModule webhooks) {
    Storage store = platform.store();
    var recorder = platform.recorder();
    Runnable send = mail.sender()::trigger;
    Presets presets = Presets.builtIn();
    var issue =
        new IssueWithoutLogin(
            new IssueRequest(presets, passports.catalogue(), platform.config().issue()),
            passports.issue(),
            access.manageKeys(),
            new Claims(store),
            recorder,
            access.limits(),
            send);
    var takeClaim =
        new TakeClaim(
            new Claims(store),
            new Passports(store),
            new Accounts(store),
            people.setPassword(),
            recorder);
    var revoke =
        new RevokeUnclaimed(
            new Claims(store),
            new Passports(store),
            mail.statuses().before(webhooks.notifications(), send),
            recorder);
    return new IssueModule(
        FeatureModule.all(
            new PresetEndpoints(presets).routes(),
            new IssueEndpoints(
                    issue,
                    new ResendClaim(new Outbox(store), access.limits(), recorder, send),
                    new IssueByOrganization(passports.issue(), new Claims(store), recorder, send),
                    platform.directory(),
                    platform.baseUrl())
                .routes(),
            new ClaimPage(
                    mail.claimLinks(),
                    takeClaim,
                    revoke,
                    new Passports(store),
                    new Organizations(store),
                    people.signIn(),
                    people.formPage(),
                    platform.baseUrl())
                .routes()),
        new ExpireUnclaimed(
            new Claims(store), revoke, recorder, send, platform.config().issue().unclaimedDays()));
  }

  @Override
  public void start() {
    expire.start();
  }

  @Override
  public void close() {
    expire.close();
  }
}
