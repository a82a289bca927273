package dev.safeconduct.app;

import dev.safeconduct.http.Route;
import dev.safeconduct.passport.issue.ClaimPage;
import dev.safeconduct.passport.issue.IssueByOrganization;
import dev.safeconduct.passport.issue.IssueEndpoints;
import dev.safeconduct.passport.issue.IssueRequest;
import dev.safeconduct.passport.issue.IssueWithoutLogin;
import dev.safeconduct.passport.issue.OrganizationIssueEndpoint;
import dev.safeconduct.passport.issue.PresetEndpoints;
import dev.safeconduct.passport.issue.Presets;
import dev.safeconduct.passport.issue.ResendClaim;
import dev.safeconduct.passport.issue.TakeClaim;
import java.util.List;

/** Passports issued without an account, and the pages on which people claim them. */
record IssueModule(List<Route> routes) implements FeatureModule {
  static IssueModule of(
      Platform platform,
      AccessModule access,
      MailModule mail,
      PeopleModule people,
      PassportModule passports) {
    Store store = platform.store();
    var recorder = platform.recorder();
    Runnable send = mail.sender()::trigger;
    Presets presets = Presets.builtIn();
    var issue =
        new IssueWithoutLogin(
            new IssueRequest(presets, passports.catalogue(), platform.config().issue()),
            passports.issue(),
            access.createKey(),
            store.claims(),
            recorder,
            access.limits(),
            send);
    var takeClaim =
        new TakeClaim(
            store.claims(), store.passports(), store.accounts(), people.setPassword(), recorder);
    return new IssueModule(
        FeatureModule.all(
            new PresetEndpoints(presets).routes(),
            new IssueEndpoints(
                    issue,
                    new ResendClaim(store.outbox(), access.limits(), recorder, send),
                    platform.baseUrl())
                .routes(),
            new OrganizationIssueEndpoint(
                    new IssueByOrganization(passports.issue(), store.claims(), recorder, send),
                    platform.directory())
                .routes(),
            new ClaimPage(
                    mail.claimLinks(),
                    takeClaim,
                    store.passports(),
                    store.organizations(),
                    passports.catalogue(),
                    people.signIn(),
                    people.formPage())
                .routes()));
  }
}
