package dev.safeconduct.app;

import dev.safeconduct.access.KeyRequest;
import dev.safeconduct.access.ManageTokens;
import dev.safeconduct.access.MintedKey;
import dev.safeconduct.access.OperatorTokens;
import dev.safeconduct.access.people.Account;
import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Bootstrap;
import dev.safeconduct.access.people.Member;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.access.people.PasswordLinks;
import dev.safeconduct.config.Secret;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Role;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.signing.Vault;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Creates the data that an empty store needs, and the secrets that are shown only once. */
public final class FirstRun {
  private static final String CLAIM = "first_run";
  private static final Origin ORIGIN = new Origin(new Caller.Admin(), "", "first-run");

  private final Platform platform;
  private final Storage store;
  private final Recorder recorder;
  private final FirstRunFile file;

  FirstRun(Platform platform) {
    this.platform = platform;
    this.store = platform.store();
    this.recorder = platform.recorder();
    this.file = new FirstRunFile(platform.config().storage().dataDir());
  }

  /** The first organization and its key. */
  public record Made(Organization organization, MintedKey key) {}

  /**
   * The result of a start.
   *
   * @param newAdminToken absent when the setting or an earlier start gives it, or an operator's
   *     token takes its place
   * @param made the first organization, if this start has created it
   * @param ownerLink the link by which the operator sets a password, if this start has created the
   *     account
   */
  public record Result(
      Optional<Secret> newAdminToken, Optional<Made> made, Optional<Secret> ownerLink) {}

  /** Creates the missing data, and the operator's account. */
  Result run(AccessModule access, PasswordLinks links) {
    Result begun = begin(access);
    new Organizations(store)
        .first()
        .ifPresent(first ->
            platform
                .keys()
                .ring()
                .record(what ->
                    recorder.write(RecordKind.CONFIG, first.id(), recorder.now(), ORIGIN, what)));
    return new Result(begun.newAdminToken(), begun.made(), owner(links));
  }

  /**
   * Creates the operator's account as an owner of the first organization, if there is none yet.
   * Only one of several nodes does so.
   */
  private Optional<Secret> owner(PasswordLinks links) {
    Accounts accounts = new Accounts(store);
    Optional<Organization> first = new Organizations(store).first();
    if (accounts.hasOperator() || first.isEmpty()) {
      return Optional.empty();
    }
    Instant now = recorder.now();
    EmailAddress email = platform.config().operator().ownerEmail().orElse(Account.NAMELESS);
    Account account = Account.fresh("acc_" + recorder.nextHex(), email, "", now).asOperator();
    var member = new Member(first.get().id(), account.id(), Role.OWNER, now);
    AuditRecord entry =
        recorder.write(
            RecordKind.CONFIG, member.org(), now, ORIGIN, member.recorded("operator_made"));
    String link = links.make(account, PasswordLinks.WELCOME);
    Optional<String> before = file.text();
    boolean passwords = platform.config().operator().passwords();
    if (passwords) {
      file.link(StartupBanner.link(link));
    }
    try {
      accounts.create(account, member, entry);
    } catch (ProblemException e) {
      file.restore(before);
      if (!(e.problem() instanceof Problem.Conflict)) {
        throw e;
      }
      // Another node was first, or the address belongs to an account that is not an operator.
      accounts
          .byEmail(email)
          .ifPresent(known -> accounts.setOperator(known.id(), true, now, entry));
      return Optional.empty();
    }
    return passwords ? Optional.of(new Secret(link)) : Optional.empty();
  }

  /**
   * Creates the missing data: the admin token, unless there is one or an operator's token, and the
   * first organization with a key of all scopes. Only one node creates the organization, once.
   * Secrets that are shown once are in the file before they are stored, and are stored in one
   * transaction. So a start after an interrupted one finds all of them or creates them again.
   */
  Result begin(AccessModule access) {
    Vault vault = new Vault(store);
    Optional<String> token =
        access.tokens().lacksAdmin() && !access.tokens().hasOperator(recorder.now())
            ? Optional.of(ManageTokens.fresh(platform.random()))
            : Optional.empty();
    Optional<String> before = file.text();
    Optional<Made> made = Optional.empty();
    boolean stored = false;
    if (vault.find(CLAIM).isEmpty()) {
      var organization = access.createOrganization().prepare(ORIGIN, "My organization");
      var key =
          access
              .manageKeys()
              .prepare(
                  ORIGIN,
                  organization.organization().id(),
                  new KeyRequest(
                      "First key", EnumSet.allOf(Scope.class), Optional.empty(), Optional.empty()));
      made = Optional.of(new Made(organization.organization(), key.minted()));
      var marks = new HashMap<String, byte[]>();
      marks.put(CLAIM, "done".getBytes(StandardCharsets.UTF_8));
      token.map(OperatorTokens::admin).ifPresent(mark -> marks.put(mark.getKey(), mark.getValue()));
      file.keep(StartupBanner.secrets(platform.baseUrl(), made, token));
      stored =
          new Bootstrap(store)
              .lay(
                  marks,
                  organization.organization(),
                  key.minted().key(),
                  List.of(organization.entry(), key.entry()));
    } else if (token.isPresent()) {
      file.add(StartupBanner.secrets(platform.baseUrl(), made, token));
      Map.Entry<String, byte[]> mark = OperatorTokens.admin(token.get());
      stored = vault.putIfAbsent(mark.getKey(), mark.getValue());
    }
    if (!stored && (made.isPresent() || token.isPresent())) {
      // Another node was first.
      file.restore(before);
      made = Optional.empty();
      token = Optional.empty();
    }
    return new Result(token.map(Secret::new), made, Optional.empty());
  }
}
