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
import java.util.Optional;

/**
 * What an empty store needs before anybody can use it, and the secrets that are shown only once.
 */
final class FirstRun {
  private static final String ADMIN_TOKEN_HASH = "admin_token_sha256";
  private static final String CLAIM = "first_run";

  private final Vault vault;
  private final SecureRandom random;

  FirstRun(Vault vault, SecureRandom random) {
    this.vault = vault;
    this.random = random;
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
    try {
      accounts.create(account, member, entry);
    } catch (ProblemException e) {
      if (!(e.problem() instanceof Problem.Conflict)) {
        throw e;
      }
      // Another node was first, or the address is somebody's who has not been an operator.
      accounts
          .byEmail(email)
          .ifPresent(known -> accounts.setOperator(known.id(), true, now, entry));
      return Optional.empty();
    }
    return Optional.of(new Owner(email, links.make(account, PasswordLinks.WELCOME)));
  }

  /** The first organization and its key. */
  record Made(Organization organization, MintedKey key) {}

  /** A configured token wins; without one the stored hash does, or a new token is made. */
  AdminToken adminToken(Optional<Secret> configured) {
    if (configured.isPresent()) {
      return new AdminToken(KeyHash.of(configured.get().reveal()), Optional.empty());
    }
    Optional<byte[]> stored = vault.find(ADMIN_TOKEN_HASH);
    if (stored.isEmpty()) {
      byte[] bytes = new byte[32];
      random.nextBytes(bytes);
      String token = "sca_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      KeyHash hash = KeyHash.of(token);
      if (vault.putIfAbsent(ADMIN_TOKEN_HASH, hash.bytes())) {
        return new AdminToken(hash, Optional.of(token));
      }
      stored = vault.find(ADMIN_TOKEN_HASH);
    }
    return new AdminToken(KeyHash.stored(stored.orElseThrow()), Optional.empty());
  }

  /** Makes the first organization with a key of all scopes; only one node, only once. */
  Optional<Made> organization(CreateOrganization createOrganization, CreateKey createKey) {
    if (!vault.putIfAbsent(CLAIM, "done".getBytes(StandardCharsets.UTF_8))) {
      return Optional.empty();
    }
    Origin origin = new Origin(new Caller.Admin(), "", "first-run");
    Organization organization = createOrganization.run(origin, "My organization");
    MintedKey key =
        createKey.grant(
            origin,
            organization.id(),
            new KeyRequest(
                "First key", EnumSet.allOf(Scope.class), Optional.empty(), Optional.empty()));
    return Optional.of(new Made(organization, key));
  }
}
