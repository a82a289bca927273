package dev.safeconduct;

import dev.safeconduct.access.CreateKey;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.KeyRequest;
import dev.safeconduct.access.MintedKey;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.config.Secret;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.Role;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.people.Account;
import dev.safeconduct.people.Accounts;
import dev.safeconduct.people.CreateOrganization;
import dev.safeconduct.people.Foundation;
import dev.safeconduct.people.Member;
import dev.safeconduct.people.Organization;
import dev.safeconduct.people.Organizations;
import dev.safeconduct.people.PasswordLinks;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.signing.Vault;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/**
 * What an empty store needs before anybody can use it, and the secrets that are shown only once.
 */
final class FirstRun {
  private static final String ADMIN_TOKEN_HASH = "admin_token_sha256";
  private static final String CLAIM = "first_run";

  private final Vault vault;
  private final Foundation foundation;
  private final SecureRandom random;
  private final FirstRunFile file;
  private final String baseUrl;

  FirstRun(
      Vault vault, Foundation foundation, SecureRandom random, FirstRunFile file, String baseUrl) {
    this.vault = vault;
    this.foundation = foundation;
    this.random = random;
    this.file = file;
    this.baseUrl = baseUrl;
  }

  /**
   * The admin token's hash, and the token itself when it has just been made.
   *
   * @param made the new token; absent when it came from the environment or an earlier start
   */
  record AdminToken(KeyHash hash, Optional<String> made) {}

  /** The person who runs the service, and the link by which they set their password. */
  record Owner(EmailAddress email, String link) {
    @Override
    public String toString() {
      return "Owner[hidden]";
    }
  }

  /**
   * Makes the person who runs the service, an owner of the first organization, where there is none
   * yet; of several nodes one does.
   */
  Optional<Owner> owner(
      Optional<EmailAddress> configured,
      Accounts accounts,
      Organizations organizations,
      PasswordLinks links,
      Recorder recorder) {
    Optional<Organization> first = organizations.first();
    if (accounts.hasOperator() || first.isEmpty()) {
      return Optional.empty();
    }
    Instant now = recorder.now();
    EmailAddress email = configured.orElse(Account.NAMELESS);
    Account account = Account.fresh("acc_" + recorder.nextHex(), email, "", now).asOperator();
    var member = new Member(first.get().id(), account.id(), Role.OWNER, now);
    JsonObject what =
        JsonObject.builder()
            .put("change", "operator_made")
            .put("account_id", account.id())
            .put("role", Role.OWNER.wire())
            .build();
    AuditRecord entry =
        recorder.write(
            RecordKind.CONFIG,
            first.get().id(),
            now,
            new Origin(new Caller.Admin(), "", "first-run"),
            what);
    var owner = new Owner(email, links.make(account, PasswordLinks.WELCOME));
    Optional<String> before = file.text();
    file.link(Welcome.link(owner));
    try {
      accounts.create(account, member, entry);
    } catch (ProblemException e) {
      file.restore(before);
      if (!(e.problem() instanceof Problem.Conflict)) {
        throw e;
      }
      // Another node was first, or the address is somebody's who has not been an operator.
      accounts
          .byEmail(email)
          .ifPresent(known -> accounts.setOperator(known.id(), true, now, entry));
      return Optional.empty();
    }
    return Optional.of(owner);
  }

  /** The first organization and its key. */
  record Made(Organization organization, MintedKey key) {}

  /** The admin token, and the first organization where this start has made it. */
  record Begun(AdminToken token, Optional<Made> made) {}

  /**
   * Makes what is missing: the admin token, unless one is configured, and once, on one node, the
   * first organization with a key of all scopes. What is shown once is in the file before it is
   * stored, and stored in one transaction: whenever a start ends, a later one has all of it or
   * makes it anew.
   */
  Begun begin(
      Optional<Secret> configured, CreateOrganization createOrganization, CreateKey createKey) {
    Optional<String> token =
        configured.isEmpty() && vault.find(ADMIN_TOKEN_HASH).isEmpty()
            ? Optional.of(freshToken())
            : Optional.empty();
    Optional<String> before = file.text();
    Optional<Made> made = Optional.empty();
    boolean stored = false;
    if (vault.find(CLAIM).isEmpty()) {
      Origin origin = new Origin(new Caller.Admin(), "", "first-run");
      var organization = createOrganization.prepare(origin, "My organization");
      var key =
          createKey.prepare(
              origin,
              organization.organization().id(),
              new KeyRequest(
                  "First key", EnumSet.allOf(Scope.class), Optional.empty(), Optional.empty()));
      made = Optional.of(new Made(organization.organization(), key.minted()));
      var marks = new HashMap<String, byte[]>();
      marks.put(CLAIM, "done".getBytes(StandardCharsets.UTF_8));
      token.ifPresent(text -> marks.put(ADMIN_TOKEN_HASH, KeyHash.of(text).bytes()));
      file.keep(Welcome.secrets(baseUrl, made, token));
      stored =
          foundation.lay(
              marks,
              organization.organization(),
              key.minted().key(),
              List.of(organization.entry(), key.entry()));
    } else if (token.isPresent()) {
      file.add(Welcome.secrets(baseUrl, made, token));
      stored = vault.putIfAbsent(ADMIN_TOKEN_HASH, KeyHash.of(token.get()).bytes());
    }
    if (!stored && (made.isPresent() || token.isPresent())) {
      // Another node was first.
      file.restore(before);
      made = Optional.empty();
      token = Optional.empty();
    }
    KeyHash hash =
        configured
            .map(secret -> KeyHash.of(secret.reveal()))
            .orElseGet(() -> KeyHash.stored(vault.find(ADMIN_TOKEN_HASH).orElseThrow()));
    return new Begun(new AdminToken(hash, token), made);
  }

  private String freshToken() {
    byte[] bytes = new byte[32];
    random.nextBytes(bytes);
    return "sca_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
