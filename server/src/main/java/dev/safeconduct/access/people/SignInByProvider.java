package dev.safeconduct.access.people;

import dev.safeconduct.access.ProviderSession;
import dev.safeconduct.access.SignInMethod;
import dev.safeconduct.access.StartSession;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Role;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.text.Excerpt;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs in people whom the identity provider has identified. A person without an account gets one
 * if a group of theirs gives a role. Roles that groups give are set at every sign-in; roles that
 * people gave stay.
 */
public final class SignInByProvider {
  private static final Logger LOG = LoggerFactory.getLogger(SignInByProvider.class);
  private static final String ID_TOKEN = "id-token";
  private static final int MOST_NAME = 100;

  /** The same person may sign in twice at once, the first time. */
  private static final int TRIES = 3;

  private final OidcConfig config;
  private final Identities identities;
  private final Accounts accounts;
  private final Organizations organizations;
  private final LogIn logIn;
  private final StartSession sessions;
  private final MasterKey master;
  private final Recorder recorder;

  public SignInByProvider(
      OidcConfig config,
      Identities identities,
      Accounts accounts,
      Organizations organizations,
      LogIn logIn,
      StartSession sessions,
      MasterKey master,
      Recorder recorder) {
    this.config = config;
    this.identities = identities;
    this.accounts = accounts;
    this.organizations = organizations;
    this.logIn = logIn;
    this.sessions = sessions;
    this.master = master;
    this.recorder = recorder;
  }

  /**
   * Returns the new session.
   *
   * @param before the account of the session that the browser already has
   * @param device the browser in words
   * @throws ProblemException 403 for a person without a role, and for the address of an operator
   *     who has a password or passkey and no session in this browser
   */
  StartSession.Started run(
      Origin origin, ProviderIdentity identity, Optional<String> before, String device) {
    Optional<String> id = settle(origin, identity, before);
    Account account =
        id.flatMap(accounts::find).orElseThrow(() -> noRole(identity.email().isEmpty()));
    OrgId org;
    try {
      org = logIn.place(account, Optional.empty(), true);
    } catch (ProblemException _) {
      logIn.noteFailure(origin, account);
      throw noRole(false);
    }
    return sessions.run(
        origin,
        account.id(),
        org,
        new SignInMethod(
            "oidc",
            device,
            false,
            Optional.of(
                new ProviderSession(
                    identity.issuer(),
                    identity.subject(),
                    identity.session(),
                    Base64.getEncoder()
                        .encodeToString(
                            master.seal(
                                ID_TOKEN, identity.idToken().getBytes(StandardCharsets.UTF_8)))))));
  }

  /** Returns the ID token of a session at the provider, if this service can still read it. */
  Optional<String> idToken(ProviderSession session) {
    try {
      return Optional.of(
          new String(
              master.open(ID_TOKEN, Base64.getDecoder().decode(session.idToken())),
              StandardCharsets.UTF_8));
    } catch (WrongMasterKeyException _) {
      return Optional.empty();
    }
  }

  private Optional<String> settle(
      Origin origin, ProviderIdentity identity, Optional<String> before) {
    Map<OrgId, Role> wanted = wanted(identity);
    Optional<OrgId> first = organizations.first().map(Organization::id);
    for (int i = 1; ; i++) {
      Instant now = recorder.now();
      Account fresh =
          Account.fresh("acc_" + recorder.nextHex(), unknownAddress(), name(identity), now);
      try {
        return identities.settle(
            identity,
            new Identities.Attempt(fresh, wanted, before, first, now),
            (org, step) -> record(origin, now, identity, org, step));
      } catch (ProblemException e) {
        if (!(e.problem() instanceof Problem.Conflict) || i == TRIES) {
          throw e;
        }
      }
    }
  }

  /** Returns the highest role in each organization. */
  private Map<OrgId, Role> wanted(ProviderIdentity identity) {
    var wanted = new LinkedHashMap<OrgId, Role>();
    for (OidcConfig.GroupRole each : config.roles()) {
      if (identity.groups().contains(each.group())) {
        Optional<OrgId> org = organization(each);
        if (org.isEmpty()) {
          LOG.warn("OIDC_GROUP_ROLES names the organization {}, which is not known", each.org());
        }
        org.ifPresent(known ->
            wanted.merge(known, each.role(), (one, two) -> one.compareTo(two) < 0 ? one : two));
      }
    }
    return wanted;
  }

  private Optional<OrgId> organization(OidcConfig.GroupRole role) {
    return (role.org().equals(OidcConfig.GroupRole.FIRST)
            ? organizations.first()
            : organizations.find(new OrgId(role.org())))
        .map(Organization::id);
  }

  /**
   * Returns the address of an account whose own is not verified: nobody can own it (RFC 6761), so
   * no email goes to a stranger and no stranger's account is found by it. It is random, so nobody
   * can take it first.
   */
  private EmailAddress unknownAddress() {
    return new EmailAddress(recorder.nextHex() + EmailAddress.NOBODY);
  }

  private static String name(ProviderIdentity identity) {
    String name = identity.name().strip();
    return Excerpt.start(name, MOST_NAME);
  }

  private AuditRecord record(
      Origin origin, Instant now, ProviderIdentity identity, OrgId org, Identities.Step step) {
    JsonObject what =
        JsonObject.builder()
            .put("change", step.change())
            .put("account_id", step.accountId())
            .putIfPresent("role", step.role().map(Role::wire))
            .put("issuer", identity.issuer())
            .put("subject", identity.subject())
            .put("by", "oidc")
            .build();
    return recorder.write(
        step.role().isPresent() ? RecordKind.CONFIG : RecordKind.LOGIN, org, now, origin, what);
  }

  private ProblemException noRole(boolean unverified) {
    return ProblemException.forbidden(
        "You are known to "
            + config.name()
            + ", but none of your groups there has a role here"
            + (unverified
                ? ", and no invitation is found, because it has not verified your email address."
                : ".")
            + " Ask whoever manages the groups, then sign in again.");
  }
}
