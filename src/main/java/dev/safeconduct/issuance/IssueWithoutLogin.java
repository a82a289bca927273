package dev.safeconduct.issuance;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.CreateKey;
import dev.safeconduct.access.KeyRequest;
import dev.safeconduct.access.MintedKey;
import dev.safeconduct.access.Rate;
import dev.safeconduct.access.RateLimits;
import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.passport.Catalogue;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Slug;
import dev.safeconduct.people.Organization;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Issues a passport to somebody who has no account, in an organization of its own, and has the
 * human they name asked whether it is theirs. Nothing the issuer gets lets them claim it.
 */
public final class IssueWithoutLogin {
  /** Ours, or what people would take for ours. */
  private static final List<String> OUR_NAMES =
      List.of(
          "admin",
          "administrator",
          "anonymous",
          "api",
          "claim",
          "console",
          "official",
          "oap",
          "operator",
          "owner",
          "root",
          "safeconduct",
          "security",
          "status",
          "support",
          "system",
          "verified");

  private final IssueRequest requests;
  private final IssuePassport issuePassport;
  private final CreateKey createKey;
  private final Issuances issuances;
  private final Recorder recorder;
  private final RateLimits limits;
  private final Runnable nudge;
  private final boolean setupKeys;
  private final Rate perAddress;
  private final Rate perEmail;
  private final Set<String> reserved;

  /**
   * @param nudge tells the postman that there is a letter
   */
  public IssueWithoutLogin(
      IssueConfig config,
      Presets presets,
      Catalogue catalogue,
      IssuePassport issuePassport,
      CreateKey createKey,
      Issuances issuances,
      Recorder recorder,
      RateLimits limits,
      Runnable nudge) {
    this.requests = new IssueRequest(presets, catalogue, config);
    this.issuePassport = issuePassport;
    this.createKey = createKey;
    this.issuances = issuances;
    this.recorder = recorder;
    this.limits = limits;
    this.nudge = nudge;
    this.setupKeys = config.setupKeys();
    this.perAddress = new Rate("issue-address", config.perAddressPerHour(), Duration.ofHours(1));
    this.perEmail = new Rate("issue-email", config.perEmailPerDay(), Duration.ofDays(1));
    this.reserved =
        Stream.concat(
                OUR_NAMES.stream(),
                presets.all().stream().flatMap(preset -> preset.frameworks().stream()))
            .map(Slug::shape)
            .collect(Collectors.toUnmodifiableSet());
  }

  /** The passport, and its setup key, shown this once. */
  public record Issued(Passport passport, Optional<MintedKey> setupKey, boolean letterSent) {}

  /**
   * Issues it.
   *
   * @throws dev.safeconduct.problem.ProblemException 400 naming the member at fault, 409 for a slug
   *     that is taken, 429 for an address or a mailbox with too many
   */
  public Issued run(Origin origin, JsonObject body) {
    IssueRequest.Parsed request = requests.parse(body);
    Instant now = recorder.now();
    String name = request.passport().string("name").orElseThrow();
    var organization = new Organization(new OrgId("org_" + recorder.nextHex()), name, now);
    IssuePassport.Draft draft =
        issuePassport.draft(
            origin, organization.id(), request.passport(), IssuePassport.Claim.UNCLAIMED);
    limits.demand(perAddress, origin.address(), "This address has had many passports issued.");
    request
        .email()
        .ifPresent(email ->
            limits.demand(perEmail, email.mailbox(), "Many passports name this e-mail address."));
    Passport passport = draft.passport();
    if (reserved.contains(Slug.shape(passport.slug().orElseThrow()))) {
      if (draft.slugAsked()) {
        throw new Problem.Conflict(
                "The slug " + passport.slug().get() + " is reserved; choose another.", "slug_taken")
            .toException();
      }
      return stored(origin, organization, draft.withOtherSlug(), request.email(), now);
    }
    try {
      return stored(origin, organization, passport, request.email(), now);
    } catch (ProblemException e) {
      if (!(e.problem() instanceof Problem.Conflict) || draft.slugAsked()) {
        throw e;
      }
      return stored(origin, organization, draft.withOtherSlug(), request.email(), now);
    }
  }

  private Issued stored(
      Origin origin,
      Organization organization,
      Passport passport,
      Optional<EmailAddress> email,
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
    Optional<CreateKey.Prepared> key =
        setupKeys ? Optional.of(key(origin, passport)) : Optional.empty();
    key.ifPresent(prepared -> entries.add(prepared.entry()));
    Instant until = now.plus(ClaimLinks.LIFE);
    Optional<Claim> claim =
        email.map(address ->
            new Claim(
                "clm_" + recorder.nextHex(),
                passport.agentId(),
                organization.id(),
                true,
                address,
                "",
                now,
                until,
                Optional.empty(),
                Optional.empty()));
    Optional<OutboxEntry> letter =
        claim.map(made ->
            OutboxEntry.of("mail_" + recorder.nextHex(), ClaimLetters.CLAIM, made.id(), now));
    Optional<ApiKey> stored = key.map(prepared -> prepared.minted().key());
    issuances.issue(
        new NewPassport(
            Optional.of(organization),
            passport,
            stored,
            claim,
            letter,
            Optional.of(until),
            List.copyOf(entries)));
    nudge.run();
    return new Issued(passport, key.map(CreateKey.Prepared::minted), letter.isPresent());
  }

  private CreateKey.Prepared key(Origin origin, Passport passport) {
    return createKey.prepare(
        origin,
        passport.owner(),
        new KeyRequest(
            "Setup key", Set.of(Scope.READ), Optional.of(passport.agentId()), Optional.empty()));
  }
}
