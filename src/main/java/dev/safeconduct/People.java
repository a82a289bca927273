package dev.safeconduct;

import dev.safeconduct.access.CreateKey;
import dev.safeconduct.access.Directory;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.SessionCache;
import dev.safeconduct.access.SessionTokens;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.http.Route;
import dev.safeconduct.issuance.ClaimLetters;
import dev.safeconduct.issuance.ClaimLinks;
import dev.safeconduct.issuance.ClaimPage;
import dev.safeconduct.issuance.Claims;
import dev.safeconduct.issuance.IssueByOrganization;
import dev.safeconduct.issuance.IssueEndpoints;
import dev.safeconduct.issuance.IssueWithoutLogin;
import dev.safeconduct.issuance.OrganizationIssueEndpoint;
import dev.safeconduct.issuance.PresetEndpoints;
import dev.safeconduct.issuance.Presets;
import dev.safeconduct.issuance.ResendClaim;
import dev.safeconduct.issuance.TakeClaim;
import dev.safeconduct.mail.Carriers;
import dev.safeconduct.mail.LetterWriter;
import dev.safeconduct.mail.Postman;
import dev.safeconduct.page.StylesheetEndpoint;
import dev.safeconduct.page.Templates;
import dev.safeconduct.passport.Catalogue;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.people.Accounts;
import dev.safeconduct.people.AuthEndpoints;
import dev.safeconduct.people.FailedLogins;
import dev.safeconduct.people.ForgotPassword;
import dev.safeconduct.people.FormToken;
import dev.safeconduct.people.LogIn;
import dev.safeconduct.people.ManageMembers;
import dev.safeconduct.people.MemberEndpoints;
import dev.safeconduct.people.Organizations;
import dev.safeconduct.people.PasswordLinks;
import dev.safeconduct.people.PasswordPage;
import dev.safeconduct.people.PersonalLetters;
import dev.safeconduct.people.SetPassword;
import dev.safeconduct.people.WhoIsThis;
import dev.safeconduct.signing.KeyRing;
import dev.safeconduct.signing.LinkTokens;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.PasswordHash;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.store.Store;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What serves people and writes to them, wired: a part of {@link Service}, which would be too long
 * with it.
 *
 * @param sessions whose session a cookie is
 * @param firstOwner who was made at this start
 */
record People(
    SessionCache sessions,
    Postman postman,
    List<Route> routes,
    Door door,
    Optional<FirstRun.Owner> firstOwner) {
  /** What lets people in, for the console. */
  record Door(
      LogIn logIn,
      StartSession sessions,
      Accounts accounts,
      ForgotPassword forgotPassword,
      FormToken forms,
      Templates templates,
      boolean secure) {}

  static People of(
      ServiceConfig config,
      InstantSource clock,
      Store store,
      MasterKey master,
      KeyRing keys,
      SecureRandom random,
      Recorder recorder,
      Directory directory,
      FirstRun firstRun,
      IssuePassport issuePassport,
      CreateKey createKey,
      Catalogue catalogue,
      RateLimits limits,
      Map<String, LetterWriter> otherLetters) {
    String baseUrl = config.http().baseUrl().toString();
    boolean secure = baseUrl.startsWith("https:");
    Accounts accounts = store.accounts();
    Organizations organizations = store.organizations();
    Templates templates = new Templates();
    SessionTokens tokens =
        new SessionTokens(
            keys.signers(Purpose.SESSION),
            keys.verifier(Purpose.SESSION),
            new LinkTokens(master.derive("csrf")),
            baseUrl,
            clock);
    PasswordHash passwords = new PasswordHash(random);
    StartSession startSession = new StartSession(store.sessions(), tokens, recorder, random);
    PasswordLinks links =
        new PasswordLinks(accounts, new LinkTokens(master.derive("password-link")), baseUrl, clock);
    SetPassword setPassword = new SetPassword(accounts, organizations, passwords, recorder);
    FormToken forms = new FormToken(new LinkTokens(master.derive("form")), random);

    var writers = new HashMap<String, LetterWriter>(otherLetters);
    writers.putAll(new PersonalLetters(accounts, organizations, links, baseUrl).writers());
    Claims claims = store.claims();
    ClaimLinks claimLinks =
        new ClaimLinks(
            claims,
            new LinkTokens(master.derive("claim-link")),
            config.http().issueUrl().toString(),
            clock);
    writers.putAll(
        new ClaimLetters(claims, store.passports(), organizations, claimLinks, recorder).writers());
    Postman postman =
        new Postman(
            store.outbox(),
            writers,
            Carriers.of(config.mail(), config.dataDir().resolve("outbox"), templates, clock),
            clock);

    var routes = new ArrayList<Route>();
    routes.addAll(new StylesheetEndpoint().routes());
    var logIn =
        new LogIn(
            accounts,
            organizations,
            passwords,
            startSession,
            limits,
            new FailedLogins(accounts, recorder),
            config.loginPerMinute());
    var forgotPassword = new ForgotPassword(store.outbox(), limits, recorder, postman::nudge);
    routes.addAll(
        new AuthEndpoints(
                logIn,
                startSession,
                accounts,
                forgotPassword,
                new WhoIsThis(accounts, organizations, tokens),
                secure)
            .routes());
    routes.addAll(new PasswordPage(links, setPassword, forms, templates, secure).routes());
    routes.addAll(
        new MemberEndpoints(
                store.members(),
                new ManageMembers(accounts, store.members(), recorder, postman::nudge),
                directory)
            .routes());
    Presets presets = Presets.builtIn();
    routes.addAll(new PresetEndpoints(presets).routes());
    routes.addAll(
        new IssueEndpoints(
                new IssueWithoutLogin(
                    config.issue(),
                    presets,
                    catalogue,
                    issuePassport,
                    createKey,
                    store.issuances(),
                    recorder,
                    limits,
                    postman::nudge),
                new ResendClaim(store.outbox(), limits, recorder, postman::nudge),
                baseUrl)
            .routes());
    routes.addAll(
        new OrganizationIssueEndpoint(
                new IssueByOrganization(issuePassport, store.issuances(), recorder, postman::nudge),
                directory)
            .routes());
    routes.addAll(
        new ClaimPage(
                claimLinks,
                new TakeClaim(claims, store.passports(), accounts, setPassword, recorder),
                store.passports(),
                accounts,
                organizations,
                catalogue,
                startSession,
                forms,
                templates,
                secure)
            .routes());
    return new People(
        new SessionCache(store.sessions(), tokens, store.changes(), clock),
        postman,
        List.copyOf(routes),
        new Door(logIn, startSession, accounts, forgotPassword, forms, templates, secure),
        firstRun.owner(config.ownerEmail(), accounts, organizations, links, recorder));
  }
}
