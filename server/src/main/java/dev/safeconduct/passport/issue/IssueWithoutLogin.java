package dev.safeconduct.passport.issue;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.KeyRequest;
import dev.safeconduct.access.ManageKeys;
import dev.safeconduct.access.MintedKey;
import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.net.IpAddress;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Slug;
import dev.safeconduct.text.Words;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Issues a passport without an account, in a new organization of its own. The named human is asked
 * by email to claim it. The response contains nothing that lets the issuer claim it.
 */
public final class IssueWithoutLogin {
  /** Names of the service, and names that people could confuse with it. */
  private static final List<String> OUR_NAMES =
      Words.list(
          """
          admin administrator anonymous api claim console official oap operator owner root
          safeconduct security status support system verified
          """);

  private final IssueRequest requests;
  private final IssuePassport issuePassport;
  private final ManageKeys manageKeys;
  private final Claims claims;
  private final Recorder recorder;
  private final RateLimits limits;
  private final Runnable trigger;
  private final boolean setupKeys;
  private final Rate perAddress;
  private final Rate perEmail;
  private final Set<String> reserved;

  /**
   * @param trigger notifies the outbox sender of a waiting email
   */
  public IssueWithoutLogin(
      IssueRequest requests,
      IssuePassport issuePassport,
      ManageKeys manageKeys,
      Claims claims,
      Recorder recorder,
      RateLimits limits,
      Runnable trigger) {
    IssueConfig config = requests.config();
    this.requests = requests;
    this.issuePassport = issuePassport;
    this.manageKeys = manageKeys;
    this.claims = claims;
    this.recorder = recorder;
    this.limits = limits;
    this.trigger = trigger;
    this.setupKeys = config.setupKeys();
    this.perAddress = new Rate("issue-address", config.perAddressPerHour(), Duration.ofHours(1));
    this.perEmail = new Rate("issue-email", config.perEmailPerDay(), Duration.ofDays(1));
    this.reserved =
        Stream.concat(OUR_NAMES.stream(), requests.frameworks())
            .map(Slug::shape)
            .collect(Collectors.toUnmodifiableSet());
  }

  /** The passport and its setup key, which is shown only once. */
  public record Issued(
      Passport passport, Optional<MintedKey> setupKey, boolean emailSent, List<String> warnings) {}

  /**
   * Issues the passport.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member, 409 for a slug
   *     that is taken, 429 for an address or a mailbox over its rate limit
   */
  public Issued run(Origin origin, JsonObject body) {
    IssueRequest.Parsed request = requests.parse(body);
    Instant now = recorder.now();
    String name = request.passport().string("name").orElseThrow();
    var organization = new Organization(new OrgId("org_" + recorder.nextHex()), name, now);
    IssuePassport.Draft draft =
        issuePassport.draft(
            origin, organization.id(), request.passport(), IssuePassport.Claim.UNCLAIMED);
    limits.demand(
        perAddress,
        IpAddress.network(origin.address()),
        "This address has had many passports issued.");
    request
        .email()
        .ifPresent(email ->
            limits.demand(perEmail, email.mailbox(), "Many passports name this email address."));
    Passport passport = draft.passport();
    if (reserved.contains(Slug.shape(passport.slug().orElseThrow()))) {
      if (draft.slugAsked()) {
        throw ProblemException.conflict(
            "The slug " + passport.slug().get() + " is reserved; choose another.", "slug_taken");
      }
      return stored(origin, organization, draft.withOtherSlug(), request, now);
    }
    try {
      return stored(origin, organization, passport, request, now);
    } catch (ProblemException e) {
      if (!(e.problem() instanceof Problem.Conflict) || draft.slugAsked()) {
        throw e;
      }
      return stored(origin, organization, draft.withOtherSlug(), request, now);
    }
  }

  private Issued stored(
      Origin origin,
      Organization organization,
      Passport passport,
      IssueRequest.Parsed request,
      Instant now) {
    var entries = new ArrayList<AuditRecord>();
    entries.add(
        recorder.write(
            RecordKind.CONFIG,
            organization.id(),
            now,
            origin,
            JsonObject.builder()
                .put("change", "organization_created")
                .put("name", organization.name())
                .build()));
    entries.add(issuePassport.record(origin, passport));
    Optional<ManageKeys.Prepared> key =
        setupKeys ? Optional.of(key(origin, passport)) : Optional.empty();
    key.ifPresent(prepared -> entries.add(prepared.entry()));
    Instant until = now.plus(ClaimLinks.LIFE);
    var claim =
        new Claim(
            "clm_" + recorder.nextHex(),
            passport.agentId(),
            organization.id(),
            true,
            request.email().orElse(Claim.NOBODY),
            "",
            now,
            until,
            Optional.empty(),
            Optional.empty(),
            Optional.of(origin.address()),
            Optional.empty());
    Optional<OutboxEntry> claimEmail =
        request
            .email()
            .map(_ ->
                OutboxEntry.of("mail_" + recorder.nextHex(), ClaimEmails.CLAIM, claim.id(), now));
    Optional<ApiKey> stored = key.map(prepared -> prepared.minted().key());
    claims.issue(
        new Claims.NewPassport(
            Optional.of(organization),
            passport,
            stored,
            Optional.of(claim),
            claimEmail,
            Optional.of(until),
            List.copyOf(entries)));
    trigger.run();
    return new Issued(
        passport, key.map(ManageKeys.Prepared::minted), claimEmail.isPresent(), request.warnings());
  }

  private ManageKeys.Prepared key(Origin origin, Passport passport) {
    return manageKeys.prepare(
        origin,
        passport.owner(),
        new KeyRequest(
            "Setup key", Set.of(Scope.READ), Optional.of(passport.agentId()), Optional.empty()));
  }
}
