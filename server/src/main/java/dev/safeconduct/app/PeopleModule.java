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
import dev.safeconduct.access.people.LogIn;
import dev.safeconduct.access.people.ManageMembers;
import dev.safeconduct.access.people.MemberEndpoints;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.access.people.PasswordPage;
import dev.safeconduct.access.people.SetPassword;
import dev.safeconduct.access.people.SignIn;
import dev.safeconduct.http.Route;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.signing.LinkTokens;
import dev.safeconduct.signing.PasswordHash;
import dev.safeconduct.signing.Purpose;
import java.util.List;

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
    var startSession = new StartSession(new Sessions(store), tokens, recorder, platform.random());
    var logIn =
        new LogIn(
            accounts,
            organizations,
            passwords,
            startSession,
            access.limits(),
            new FailedLogins(accounts, recorder),
            platform.config().limits().login());
    var forgotPassword =
        new ForgotPassword(new Outbox(store), access.limits(), recorder, mail.sender()::trigger);
    var forms = new FormToken(new LinkTokens(master.derive("form")), platform.random());
    var formPage = new FormPage(forms, platform.templates(), secure);
    return new PeopleModule(
        new SignIn(logIn, startSession, accounts, forgotPassword, forms, secure),
        formPage,
        setPassword,
        new SessionCache(new Sessions(store), tokens, store.changes(), platform.clock()),
        FeatureModule.all(
            new AuthEndpoints(
                    logIn,
                    startSession,
                    accounts,
                    forgotPassword,
                    new CurrentUser(accounts, organizations, tokens),
                    secure)
                .routes(),
            new PasswordPage(mail.passwordLinks(), setPassword, formPage).routes(),
            new MemberEndpoints(
                    new Memberships(store),
                    new ManageMembers(
                        accounts, new Memberships(store), recorder, mail.sender()::trigger),
                    platform.directory())
                .routes()));
  }
}
