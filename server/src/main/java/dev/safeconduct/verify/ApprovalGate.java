package dev.safeconduct.verify;

import dev.safeconduct.approval.Approval;
import dev.safeconduct.approval.ApprovalEmails;
import dev.safeconduct.approval.ApprovalStep;
import dev.safeconduct.approval.Approvals;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.error.Problem;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.signing.MasterKey;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Checks whether a person has approved an action, and opens approvals. An approval is valid once,
 * for one agent, one version of its passport and pack, and one context: the canonical form (RFC
 * 8785) of what was sent. Member order, blanks and the spelling of a number do not matter; all else
 * does. A context whose canonical form is another one's too, because it has numbers that a double
 * rounds, cannot be approved.
 */
public final class ApprovalGate {
  private static final int NONCE = 16;

  /** How many of an organization's approvals are searched for an answer to the same request. */
  private static final int MOST_ANSWERS = 200;

  private final Approvals approvals;
  private final MasterKey master;
  private final SecretKeySpec key;
  private final RandomGenerator random;
  private final Runnable mailWaits;
  private final Events events;
  private final ApprovalEmails emails;

  /**
   * @param mailWaits is told that there are emails to send
   */
  public ApprovalGate(
      Approvals approvals,
      MasterKey master,
      RandomGenerator random,
      Runnable mailWaits,
      Events events,
      ApprovalEmails emails) {
    this.approvals = approvals;
    this.master = master;
    this.key = new SecretKeySpec(master.derive("approval"), "HmacSHA256");
    this.random = random;
    this.mailWaits = mailWaits;
    this.events = events;
    this.emails = emails;
  }

  /** The state of the approval that a request names. */
  sealed interface Pass {
    /** The request names no approval. */
    record None() implements Pass {}

    /** The approval is valid for exactly this request. */
    record Good(Approval approval) implements Pass {}

    /** The approval matches the request but is not answered yet. */
    record Waiting(Approval approval) implements Pass {}

    /** The approval is not valid for this request, with the reason. */
    record Unfit(String why) implements Pass {}
  }

  /**
   * An outcome that was checked for approvals.
   *
   * @param step the change that the commit makes to an approval
   * @param waiting the approval that a person has to answer
   * @param approved the approval by which the action has to be evaluated again; see {@link #by}
   */
  record Gated(
      Outcome outcome,
      Optional<ApprovalStep> step,
      Optional<Approval> waiting,
      Optional<Approval> approved) {
    static Gated of(Outcome outcome) {
      return new Gated(outcome, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Returns the result with the outcome after approval. An allow consumes the approval. */
    Gated by(Outcome approvedOutcome, boolean dryRun) {
      return new Gated(
          approvedOutcome,
          approvedOutcome.isAllow() && !dryRun
              ? approved.map(ApprovalStep.Use::new)
              : Optional.empty(),
          Optional.empty(),
          Optional.empty());
    }
  }

  /**
   * Checks an outcome that is denied because an approval is missing. Other outcomes are unchanged.
   *
   * @param decision the id the decision will have
   */
  Gated check(Outcome outcome, VerifyRequest request, EvaluationInput input, UUID decision) {
    if (!(outcome instanceof Outcome.Deny deny)
        || !ReasonCode.APPROVAL_REQUIRED.is(deny.reason().code())
        || deny.reason().rule().isPresent()) {
      return Gated.of(outcome);
    }
    Optional<String> rounded = JsonOverflow.placeOfRounded(request.sent().context());
    if (rounded.isPresent()) {
      return Gated.of(
          deny.because(
              denied(
                  "Nobody can approve this: context."
                      + rounded.get()
                      + " is a number that is rounded: beyond 2^53-1, or with too many digits. Send it as"
                      + " a string.")));
    }
    JudgedPack judged = input.policy();
    Subject subject = input.subject();
    Instant now = input.at();
    return switch (pass(request, judged, subject, now)) {
      case Pass.None _ -> {
        Optional<Approval> asked = ask(request, judged, subject, decision, now);
        yield new Gated(
            outcome,
            asked
                .filter(a -> a.decisionId().equals(decision))
                .map(a -> new ApprovalStep.Open(a, events, emails)),
            asked,
            Optional.empty());
      }
      case Pass.Waiting(Approval approval) ->
          new Gated(
              deny.because(denied("Nobody has approved this yet.")),
              Optional.empty(),
              Optional.of(approval),
              Optional.empty());
      case Pass.Unfit(String why) -> Gated.of(deny.because(denied(why)));
      case Pass.Good(Approval approval) ->
          new Gated(outcome, Optional.empty(), Optional.empty(), Optional.of(approval));
    };
  }

  private static Reason denied(String why) {
    return Reason.of(ReasonCode.APPROVAL_REQUIRED, why);
  }

  private Pass pass(VerifyRequest request, JudgedPack judged, Subject subject, Instant now) {
    Optional<String> named = request.approval().flatMap(VerifyRequest.ApprovalQuestion::approvalId);
    Optional<Approval> found =
        named.isEmpty()
            ? answered(request, judged, subject, now)
            : Approval.decisionOf(named.get())
                .flatMap(id -> approvals.find(new Tenant.One(subject.org()), id));
    if (found.isEmpty() && named.isEmpty()) {
      return new Pass.None();
    }
    if (found.isEmpty()) {
      return new Pass.Unfit("No approval of that name is known; ask without one.");
    }
    Approval approval = found.get();
    return switch (approval.status(now)) {
      case REFUSED -> new Pass.Unfit("A person has refused this action.");
      case USED -> new Pass.Unfit("This approval has been used; it is good for one action.");
      case EXPIRED -> new Pass.Unfit("This approval came too late; ask again without it.");
      case PENDING, APPROVED -> {
        if (!fits(approval, request, judged, subject)) {
          yield new Pass.Unfit(
              "The approval is for another action: agent, passport, policy and every value of"
                  + " the context must be the same.");
        }
        yield approval.answer().isEmpty() ? new Pass.Waiting(approval) : new Pass.Good(approval);
      }
    };
  }

  /** Returns the last answer to the same request that is neither used nor too old. */
  private Optional<Approval> answered(
      VerifyRequest request, JudgedPack judged, Subject subject, Instant now) {
    if (request.approval().filter(VerifyRequest.ApprovalQuestion::byContext).isEmpty()) {
      return Optional.empty();
    }
    byte[] same = digest(new byte[0], judged, subject, canonical(request));
    return approvals
        .list(new Tenant.One(subject.org()), Optional.empty(), now, Optional.empty(), MOST_ANSWERS)
        .stream()
        .filter(approval -> approval.answer().isPresent() && approval.usedBy().isEmpty())
        .filter(approval -> now.isBefore(approval.expiresAt()))
        .filter(approval -> MessageDigest.isEqual(approval.request(), same))
        .findFirst();
  }

  private boolean fits(
      Approval approval, VerifyRequest request, JudgedPack judged, Subject subject) {
    return MessageDigest.isEqual(
        approval.binding(), digest(approval.nonce(), judged, subject, canonical(request)));
  }

  /** Returns a new approval request for a person, or empty if no person can be asked. */
  private Optional<Approval> ask(
      VerifyRequest request, JudgedPack judged, Subject subject, UUID decision, Instant now) {
    if (request.approval().isEmpty()
        || request.approval().get().approvalId().isPresent()
        || request.dryRun()
        || !subject.isHosted()
        || request.caller() instanceof Caller.Anonymous) {
      return Optional.empty();
    }
    byte[] context = canonical(request);
    byte[] same = digest(new byte[0], judged, subject, context);
    List<Approval> waiting =
        approvals.waiting(subject.org(), subject.agentId(), now, Approval.MOST_WAITING);
    Optional<Approval> known =
        waiting.stream()
            .filter(approval -> MessageDigest.isEqual(approval.request(), same))
            .findFirst();
    if (known.isPresent() || waiting.size() >= Approval.MOST_WAITING) {
      return known;
    }
    byte[] nonce = new byte[NONCE];
    random.nextBytes(nonce);
    return Optional.of(
        new Approval(
            decision,
            subject.org(),
            subject.agentId(),
            judged.pack().id().value(),
            subject.digest(),
            judged.pack().digest(),
            nonce,
            digest(nonce, judged, subject, context),
            same,
            now,
            now.plus(Approval.LIFETIME),
            Optional.of(master.seal(Approval.label(decision), context)),
            Optional.empty(),
            Optional.empty()));
  }

  /**
   * Returns the approval that a stored deny waits for: the one it opened, or an earlier one.
   *
   * @param again the current check of the same request; an approval it would open is not stored
   */
  Optional<Approval> of(Decision decision, Gated again, Subject subject, Instant now) {
    if (!ReasonCode.APPROVAL_REQUIRED.is(decision.reason().code())) {
      return Optional.empty();
    }
    return approvals
        .find(new Tenant.One(subject.org()), decision.id())
        .filter(approval -> approval.status(now) == Approval.Status.PENDING)
        .or(() -> again.step().isPresent() ? Optional.empty() : again.waiting());
  }

  /** Returns why an outcome opens no approval. */
  static Problem notOpened(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Deny deny when ReasonCode.APPROVAL_REQUIRED.is(deny.reason().code()) ->
          new Problem.Conflict(
              "No approval was opened: too many requests of this agent wait already, or a person"
                  + " cannot approve this one. "
                  + deny.reason().message(),
              "approval_not_opened");
      case Outcome.Deny deny ->
          new Problem.Conflict(
              "An approval does not help: it is denied for another reason. "
                  + deny.reason().message(),
              "approval_not_possible");
      default ->
          new Problem.Conflict(
              "Nobody has to approve it: it is allowed now.", "approval_not_needed");
    };
  }

  /** Has the emails about an opened approval sent. Call it when the deny is durable. */
  void announce(Gated gated) {
    if (gated.step().orElse(null) instanceof ApprovalStep.Open) {
      mailWaits.run();
    }
  }

  private static byte[] canonical(VerifyRequest request) {
    return CanonicalJson.bytes(request.sent().context());
  }

  private byte[] digest(byte[] nonce, JudgedPack judged, Subject subject, byte[] context) {
    var all = new ByteArrayOutputStream(context.length + 512);
    add(all, nonce);
    add(all, text(subject.org().value()));
    add(all, text(subject.agentId()));
    add(all, text(subject.digest()));
    for (TemplateChain.Template template : subject.chain().templates()) {
      add(all, text(template.digest()));
    }
    add(all, text(judged.pack().digest()));
    add(all, context);
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return mac.doFinal(all.toByteArray());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC-SHA256 is not available", e);
    }
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Adds a part after its length, so that different lists of parts have different bytes. */
  private static void add(ByteArrayOutputStream all, byte[] part) {
    all.writeBytes(ByteBuffer.allocate(4).putInt(part.length).array());
    all.writeBytes(part);
  }
}
