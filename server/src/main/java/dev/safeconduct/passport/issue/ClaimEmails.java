package dev.safeconduct.passport.issue;

import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.mail.Email;
import dev.safeconduct.mail.EmailTemplate;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Emails that ask a human to review and claim an agent. */
public final class ClaimEmails {
  /** The subject is the claim's id. */
  static final String CLAIM = "claim";

  /** The subject is an agent id as received, whether or not the agent exists. */
  static final String AGAIN = "claim_again";

  /** The subject is the id of a claim that ends soon. */
  static final String ENDING = "claim_ending";

  private final Claims claims;
  private final Passports passports;
  private final Organizations organizations;
  private final ClaimLinks links;
  private final Recorder recorder;

  public ClaimEmails(
      Claims claims,
      Passports passports,
      Organizations organizations,
      ClaimLinks links,
      Recorder recorder) {
    this.claims = claims;
    this.passports = passports;
    this.organizations = organizations;
    this.links = links;
    this.recorder = recorder;
  }

  public Map<String, EmailTemplate> writers() {
    return Map.of(
        CLAIM,
        entry -> claims.find(entry.subject()).flatMap(claim -> email(entry, claim)),
        ENDING,
        entry -> claims.find(entry.subject()).flatMap(claim -> email(entry, claim)),
        AGAIN,
        entry ->
            AgentId.hosted(entry.subject())
                .flatMap(claims::ofAgent)
                .flatMap(claim -> email(entry, claim)));
  }

  private Optional<Email> email(OutboxEntry entry, Claim before) {
    Optional<Passport> passport = passports.find(before.agent());
    if (passport.isEmpty() || before.usedAt().isPresent() || before.namesNobody()) {
      return Optional.empty();
    }
    Instant now = recorder.now();
    JsonObject what =
        JsonObject.builder()
            .put("change", "claim_link_sent")
            .put("agent_id", before.agent().value())
            .put("claim_id", before.id())
            .build();
    var origin = new Origin(new Caller.Anonymous(), "", entry.id());
    return claims
        .renew(
            before.id(),
            entry.id(),
            now.plus(ClaimLinks.LIFE),
            recorder.write(RecordKind.CONFIG, before.org(), now, origin, what))
        .map(claim ->
            entry.kind().equals(ENDING)
                ? ending(claim, passport.get())
                : written(claim, passport.get()));
  }

  private Email written(Claim claim, Passport passport) {
    String name = Email.inert(passport.name());
    var paragraphs = new ArrayList<String>();
    if (!claim.displayName().isEmpty()) {
      paragraphs.add("Hello " + Email.inert(claim.displayName()) + ",");
    }
    paragraphs.add(
        asker(claim)
            + " issued a passport for the AI agent \""
            + name
            + "\" and named you as its owner.");
    paragraphs.add(
        "See what it may do. If it is yours, claim it: then you can limit, suspend or revoke it"
            + " at any time. The link works once, for three days.");
    return new Email(
        claim.email().value(),
        "Is \"" + name + "\" your agent?",
        List.copyOf(paragraphs),
        "See the agent",
        links.make(claim),
        "If you do not know this agent, ignore this email. Nobody can claim it without this link.");
  }

  private Email ending(Claim claim, Passport passport) {
    String name = Email.inert(passport.name());
    return new Email(
        claim.email().value(),
        "\"" + name + "\" will be revoked in three days",
        List.of(
            asker(claim)
                + " issued a passport for the AI agent \""
                + name
                + "\" and named you as its owner. Nobody has claimed it.",
            "If it is yours, claim it within three days. Otherwise it is revoked, and every request"
                + " of the agent is denied."),
        "See the agent",
        links.make(claim),
        "If you do not know this agent, ignore this email, or revoke it at once on that page.");
  }

  private String asker(Claim claim) {
    return claim.personal()
        ? "Somebody"
        : organizations
            .find(claim.org())
            .map(Organization::name)
            .map(name -> "The organization \"" + Email.inert(name) + "\"")
            .orElse("Somebody");
  }
}
