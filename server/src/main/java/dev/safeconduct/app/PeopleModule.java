package dev.safeconduct.app;

import dev.safeconduct.access.SessionCache;
import dev.safeconduct.access.SessionTokens;
import dev.safeconduct.access.Sessions;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.AuthEndpoints;
import dev.safeconduct.access.people.CurrentUser;
import dev.safeconduct.access.people.FailedLogins;
import dev.safeconduct.access.people.ForgotPassword;
import dev.safeconduct.access.people.FormPage;
import dev.safeconduct.access.people.FormToken;
import dev.safeconduct.access.people.Identities;
import dev.safeconduct.access.people.IdentityProvider;
import dev.safeconduct.access.people.LogIn;
import dev.safeconduct.access.people.ManageFactors;
import dev.safeconduct.access.people.ManageMembers;
import dev.safeconduct.access.people.MemberEndpoints;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.access.people.OidcEndpoints;
import dev.safeconduct.access.people.OidcSignIn;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.access.people.PasswordPage;
import dev.safeconduct.access.people.PendingSignIns;
import dev.safeconduct.access.people.ProviderAttempts;
import dev.safeconduct.access.people.SecondFactors;
import dev.safeconduct.access.people.SetPassword;
import dev.safeconduct.access.people.SignIn;
import dev.safeconduct.access.people.SignInByPasskey;
import dev.safeconduct.access.people.SignInByProvider;
import dev.safeconduct.access.people.WebAuthn;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.signing.LinkTokens;
import dev.safeconduct.signing.PasswordHash;
import dev.safeconduct.signing.Purpose;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * Accounts, their sessions and the members of organizations.
 *
 * @param sessions finds the session of a cookie
 */
record PeopleModule(
    SignIn signIn,
    FormPage formPage,
    SetPassword setPassword,
    SessionCache sessions,
    List<Route> routes)
    implements FeatureModule {
  static PeopleModule of(Platform platform, AccessModule access, MailModule mail) {
    Storage store = platform.store();
    Accounts accounts = new Accounts(store);
    Organizations organizations = new Organizations(store);
    var master = platform.keys().master();
    var recorder = platform.recorder();
    boolean secure = platform.baseUrl().startsWith("https:");
    var tokens =
        new SessionTokens(
            platform.keys().ring().signers(Purpose.SESSION),
            platform.keys().ring().verifier(Purpose.SESSION),
            new LinkTokens(master.derive("csrf")),
            platform.baseUrl(),
            platform.clock());
    var passwords = new PasswordHash(platform.random());
    var setPassword = new SetPassword(accounts, organizations, passwords, recorder);
    boolean open = platform.config().operator().passwords();
    var sessions = new Sessions(store, open, platform.config().operator().mfa());
    var startSession = new StartSession(sessions, tokens, recorder, platform.random());
    var factors = new SecondFactors(store);
    var pending =
        new PendingSignIns(
            accounts,
            factors,
            platform.config().operator().mfa(),
            new LinkTokens(master.derive("second-step")),
            platform.random(),
            platform.clock());
    var logIn =
        new LogIn(
            accounts,
            organizations,
            passwords,
            startSession,
            access.limits(),
            new FailedLogins(accounts, organizations, recorder),
            pending,
            platform.config().limits().login());
    var webAuthn =
        new WebAuthn(
            platform.config().http().baseUrl(),
            new LinkTokens(master.derive("passkey")),
            platform.random(),
            platform.clock());
    var manageFactors =
        new ManageFactors(
            factors,
            webAuthn,
            pending,
            accounts,
            organizations,
            recorder,
            platform.random(),
            mail.sender()::trigger);
    var second =
        new SignIn.SecondStep(
            pending,
            factors,
            webAuthn,
            manageFactors,
            new SignInByPasskey(
                logIn,
                accounts,
                factors,
                webAuthn,
                manageFactors,
                access.limits(),
                recorder,
                platform.config().limits().login()));
    var forgotPassword =
        new ForgotPassword(new Outbox(store), access.limits(), recorder, mail.sender()::trigger);
    var forms = new FormToken(new LinkTokens(master.derive("form")), platform.random());
    var formPage = new FormPage(forms, platform.templates(), secure);
    var identities = new Identities(store, mail.sender()::trigger);
    Optional<OidcSignIn> oidc =
        platform
            .config()
            .operator()
            .oidc()
            .map(config ->
                new OidcSignIn(
                    new IdentityProvider(
                        config,
                        URI.create(platform.baseUrl() + OidcEndpoints.CALLBACK),
                        URI.create(platform.baseUrl() + "/console/sign-in"),
                        platform.clock()),
                    new ProviderAttempts(
                        new LinkTokens(master.derive("oidc")), platform.random(), platform.clock()),
                    new SignInByProvider(
                        config,
                        identities,
                        accounts,
                        organizations,
                        logIn,
                        startSession,
                        master,
                        recorder)));
    var signIn = new SignIn(logIn, second, accounts, forgotPassword, formPage, oidc, open);
    return new PeopleModule(
        signIn,
        formPage,
        setPassword,
        new SessionCache(sessions, tokens, store.changes(), platform.clock()),
        FeatureModule.all(
            new AuthEndpoints(
                    logIn,
                    startSession,
                    accounts,
                    forgotPassword,
                    new CurrentUser(accounts, organizations, tokens),
                    open,
                    secure)
                .routes(),
            new PasswordPage(mail.passwordLinks(), setPassword, formPage, signIn).routes(),
            new OidcEndpoints(
                    oidc,
                    identities,
                    startSession,
                    formPage,
                    access.limits(),
                    recorder,
                    platform.config().limits().login() * 10)
                .routes(),
            new MemberEndpoints(
                    new Memberships(store),
                    new ManageMembers(
                        accounts,
                        new Memberships(store),
                        manageFactors,
                        access.limits(),
                        recorder,
                        mail.sender()::trigger),
                    platform.directory())
                .routes()));
  }

  @Override
  public void close() {
    signIn.provider().map(OidcSignIn::provider).ifPresent(IdentityProvider::close);
  }
}
