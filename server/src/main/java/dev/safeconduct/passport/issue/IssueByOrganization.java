package dev.safeconduct.passport.issue;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.EmailAddress;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.Passport;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Issues a passport in an organization's name for one of its users, who may be asked to claim it.
 */
public final class IssueByOrganization {
  private static final int MAX_DISPLAY_NAME = 100;
  private static final List<String> NOT_OF_THE_PASSPORT =
      List.of("pending_owner", "send_claim_email", "assurance");

  private final IssuePassport issuePassport;
  private final Claims claims;
  private final Recorder recorder;
  private final Runnable trigger;

  /**
   * @param trigger notifies the outbox sender of a waiting email
   */
  public IssueByOrganization(
      IssuePassport issuePassport, Claims claims, Recorder recorder, Runnable trigger) {
    this.issuePassport = issuePassport;
    this.claims = claims;
    this.recorder = recorder;
    this.trigger = trigger;
  }

  /** The passport, warnings for its owner, and whether its user gets an email. */
  public record Issued(Passport passport, List<String> warnings, boolean emailSent) {}

  /**
   * Issues the passport. The caller must have checked permission for this organization.
   *
   * @throws dev.safeconduct.error.ProblemException 400 naming the invalid member, 403 for an id
   *     chosen by an ordinary caller, 409 for a slug or id that is taken
   */
  public Issued run(Origin origin, OrgId org, JsonObject json) {
    Members body = Members.of(json);
    Optional<Members> pending = body.members("pending_owner");
    Optional<EmailAddress> email = pending.map(IssueByOrganization::email);
    String displayName =
        pending.flatMap(owner -> owner.line("display_name", MAX_DISPLAY_NAME)).orElse("");
    boolean sends = body.flag("send_claim_email").orElse(false);
    if (sends && email.isEmpty()) {
      throw body.missing("pending_owner");
    }
    IssuePassport.Draft draft =
        issuePassport.draft(
            origin,
            org,
            passport(json, body),
            email.isPresent() ? IssuePassport.Claim.UNCLAIMED : IssuePassport.Claim.CLAIMED);
    Instant now = recorder.now();
    Passport passport = draft.passport();
    try {
      store(origin, passport, email, displayName, sends, now);
    } catch (ProblemException e) {
      boolean slug =
          e.problem() instanceof Problem.Conflict conflict
              && conflict.reason().equals("slug_taken");
      if (!slug || draft.slugAsked()) {
        throw e;
      }
      passport = draft.withOtherSlug();
      store(origin, passport, email, displayName, sends, now);
    }
    return new Issued(passport, draft.warnings(), sends);
  }

  private static EmailAddress email(Members owner) {
    String text = owner.requiredText("email");
    return EmailAddress.parse(text)
        .orElseThrow(
            () -> owner.fault("email", owner.path("email") + " must be an email address."));
  }

  /**
   * Returns the passport's body. The client's statement about the owner's assurance proves nothing;
   * it is stored as received.
   */
  private static JsonObject passport(JsonObject json, Members body) {
    JsonObject passport = json;
    Optional<Members> assurance = body.members("assurance");
    if (assurance.isPresent()) {
      JsonObject metadata = body.members("metadata").map(Members::object).orElse(JsonObject.EMPTY);
      passport = passport.with("metadata", metadata.with("assurance", assurance.get().object()));
    }
    for (String name : NOT_OF_THE_PASSPORT) {
      passport = passport.without(name);
    }
    return passport;
  }

  private void store(
      Origin origin,
      Passport passport,
      Optional<EmailAddress> email,
      String displayName,
      boolean sends,
      Instant now) {
    Optional<Claim> claim =
        email.map(address ->
            new Claim(
                "clm_" + recorder.nextHex(),
                passport.agentId(),
                passport.owner(),
                false,
                address,
                displayName,
                now,
                now,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
    Optional<OutboxEntry> claimEmail =
        claim
            .filter(_ -> sends)
            .map(made ->
                OutboxEntry.of("mail_" + recorder.nextHex(), ClaimEmails.CLAIM, made.id(), now));
    claims.issue(
        new Claims.NewPassport(
            Optional.empty(),
            passport,
            Optional.empty(),
            claim,
            claimEmail,
            Optional.empty(),
            List.of(issuePassport.record(origin, passport))));
    if (sends) {
      trigger.run();
    }
  }
}
