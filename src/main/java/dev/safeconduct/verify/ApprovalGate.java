package dev.safeconduct.verify;

import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.usage.Approval;
import dev.safeconduct.usage.ApprovalStep;
import dev.safeconduct.usage.Approvals;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The gate that a person opens: for one agent, by one passport and one pack as they are, for one
 * context byte by byte, and once.
 */
public final class ApprovalGate {
  private static final String REQUIRED = "oap.approval_required";
  private static final int NONCE = 16;

  private final Approvals approvals;
  private final MasterKey master;
  private final SecretKeySpec key;
  private final RandomGenerator random;
  private final Consumer<Approval> opened;

  /**
   * @param opened told of each new one after it is durable
   */
  public ApprovalGate(
      Approvals approvals, MasterKey master, RandomGenerator random, Consumer<Approval> opened) {
    this.approvals = approvals;
    this.master = master;
    this.key = new SecretKeySpec(master.derive("approval"), "HmacSHA256");
    this.random = random;
    this.opened = opened;
  }

  /** How the approval stands that a question names. */
  sealed interface Pass {
    /** It names none. */
    record None() implements Pass {}

    /** It is good for exactly this question. */
    record Good(Approval approval) implements Pass {}

    /** It would be, but nobody has answered yet. */
    record Waiting(Approval approval) implements Pass {}

    /** It is not, and why. */
    record Unfit(String why) implements Pass {}
  }

  /**
   * A judgement that has been to the gate.
   *
   * @param step what its commit does to an approval
   * @param waiting the approval that a person has to answer
   */
  record Gated(Outcome outcome, Optional<ApprovalStep> step, Optional<Approval> waiting) {
    private static Gated of(Outcome outcome) {
      return new Gated(outcome, Optional.empty(), Optional.empty());
    }
  }

  /**
   * Takes the outcome through the gate, where it is the gate that denied.
   *
   * @param decision the id the decision will have
   * @param opened what comes of the action when the gate is open
   */
  Gated through(
      Outcome outcome,
      VerifyRequest request,
      JudgedPack judged,
      Subject subject,
      UUID decision,
      Instant now,
      Supplier<Outcome> opened) {
    boolean shut =
        outcome instanceof Outcome.Deny(Reason reason, _, _)
            && reason.code().equals(REQUIRED)
            && reason.rule().isEmpty();
    if (!shut) {
      return Gated.of(outcome);
    }
    return switch (pass(request, judged, subject, now)) {
      case Pass.None _ -> {
        Optional<Approval> asked = ask(request, judged, subject, decision, now);
        yield new Gated(
            outcome,
            asked.filter(a -> a.decisionId().equals(decision)).map(ApprovalStep.Open::new),
            asked);
      }
      case Pass.Waiting(Approval approval) ->
          new Gated(
              denied(outcome, "Nobody has approved this yet."),
              Optional.empty(),
              Optional.of(approval));
      case Pass.Unfit(String why) -> Gated.of(denied(outcome, why));
      case Pass.Good(Approval approval) -> {
        Outcome through = opened.get();
        yield through instanceof Outcome.Allow && !request.dryRun()
            ? new Gated(through, Optional.of(new ApprovalStep.Use(approval)), Optional.empty())
            : Gated.of(through);
      }
    };
  }

  private static Outcome denied(Outcome outcome, String why) {
    return new Outcome.Deny(
        new Reason(outcome.reason().code(), why, Optional.empty()),
        outcome.conditions(),
        outcome.trace());
  }

  private Pass pass(VerifyRequest request, JudgedPack judged, Subject subject, Instant now) {
    Optional<String> named = request.approval().flatMap(ApprovalAsk::approvalId);
    if (named.isEmpty()) {
      return new Pass.None();
    }
    Optional<Approval> found =
        Approval.decisionOf(named.get())
            .flatMap(id -> approvals.find(new Tenant.One(subject.org()), id));
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
              "The approval is for another action: agent, passport, policy and every byte of"
                  + " the context must be the same.");
        }
        yield approval.answer().isEmpty() ? new Pass.Waiting(approval) : new Pass.Good(approval);
      }
    };
  }

  private boolean fits(
      Approval approval, VerifyRequest request, JudgedPack judged, Subject subject) {
    byte[] context = request.approval().orElseThrow().context().get();
    return MessageDigest.isEqual(
        approval.binding(), digest(approval.nonce(), judged, subject, context));
  }

  /** What a person is asked; empty where nobody can be. */
  private Optional<Approval> ask(
      VerifyRequest request, JudgedPack judged, Subject subject, UUID decision, Instant now) {
    if (request.approval().isEmpty()
        || request.approval().get().approvalId().isPresent()
        || request.dryRun()
        || !subject.hosted()
        || request.caller() instanceof Caller.Anonymous) {
      return Optional.empty();
    }
    byte[] context = request.approval().get().context().get();
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
   * The approval a stored deny waits for: the one it has opened, or an earlier one.
   *
   * @param again the same question at the gate now; what it would open is not stored
   */
  Optional<Approval> of(SignedDecision decision, Gated again, Subject subject, Instant now) {
    if (!decision.code().equals(REQUIRED)) {
      return Optional.empty();
    }
    return approvals
        .find(new Tenant.One(subject.org()), decision.id())
        .filter(approval -> approval.status(now) == Approval.Status.PENDING)
        .or(() -> again.step().isPresent() ? Optional.empty() : again.waiting());
  }

  /** Tells of an approval that was opened; to be called when its deny is durable. */
  void announce(Gated gated) {
    if (gated.step().orElse(null) instanceof ApprovalStep.Open(Approval approval)) {
      opened.accept(approval);
    }
  }

  private byte[] digest(byte[] nonce, JudgedPack judged, Subject subject, byte[] context) {
    var all = new ByteArrayOutputStream(context.length + 512);
    add(all, nonce);
    add(all, text(subject.org().value()));
    add(all, text(subject.agentId()));
    add(all, text(subject.digest()));
    for (Template template : subject.templates()) {
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

  /** Each part with its length before it, so that no two lists of parts read alike. */
  private static void add(ByteArrayOutputStream all, byte[] part) {
    all.writeBytes(ByteBuffer.allocate(4).putInt(part.length).array());
    all.writeBytes(part);
  }
}
