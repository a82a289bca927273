package dev.safeconduct.hook;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.Reason;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.passport.Halts;
import dev.safeconduct.telemetry.Progress;
import dev.safeconduct.text.Excerpt;
import dev.safeconduct.verify.Subject;
import dev.safeconduct.verify.SubjectResolver;
import dev.safeconduct.verify.VerifyAction;
import dev.safeconduct.verify.VerifyRequest;
import dev.safeconduct.verify.VerifyResult;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides whether an agent may use a tool. The tool's use becomes one or more questions; every one
 * must be allowed, and the first deny ends it. Tools that need no permission, and those that no
 * policy knows, are recorded too.
 */
public final class AnswerHook {
  private final HookTables tables;
  private final VerifyAction verify;
  private final SubjectResolver subjects;
  private final Halts halts;
  private final Storage store;
  private final Recorder recorder;
  private final String baseUrl;

  /**
   * @param baseUrl the service's own address
   */
  public AnswerHook(
      HookTables tables,
      VerifyAction verify,
      SubjectResolver subjects,
      Halts halts,
      Storage store,
      Recorder recorder,
      String baseUrl) {
    this.tables = tables;
    this.verify = verify;
    this.subjects = subjects;
    this.halts = halts;
    this.store = store;
    this.recorder = recorder;
    this.baseUrl = baseUrl;
  }

  /**
   * Answers an event.
   *
   * @throws dev.safeconduct.error.ProblemException when no answer can be recorded, or the event
   *     cannot be read
   */
  Answered run(HookCaller caller, HookAgent agent, JsonObject body) {
    Subject subject = subjects.spokenFor(caller.origin().caller(), caller.agentIds());
    ToolCall call = agent.call(body);
    HookSettings settings = HookSettings.of(subject);
    return switch (tables.actions(agent, call, settings, subject.agentId())) {
      case HookTables.Mapped.NoAction _ -> withoutAction(caller, agent, call, subject);
      case HookTables.Mapped.Unmapped(String why) ->
          refused(caller, agent, call, subject, ReasonCode.UNKNOWN_CAPABILITY, why);
      case HookTables.Mapped.Questions(List<Question> questions) -> {
        if (questions.size() > Actions.MOST_QUESTIONS) {
          throw Actions.tooMany(call);
        }
        yield ask(caller, agent, call, subject, settings, questions);
      }
    };
  }

  private Answered ask(
      HookCaller caller,
      HookAgent agent,
      ToolCall call,
      Subject subject,
      HookSettings settings,
      List<Question> questions) {
    boolean approved = true;
    String last = "";
    for (Question question : questions) {
      Optional<String> refusal = tables.refusal(question, call.cwd());
      VerifyResult result =
          verify.run(request(caller.origin(), subject, question, refusal), caller.progress());
      last = result.decision().id().toString();
      if (!result.decision().allow()) {
        return new Answered(denied(caller, agent, call, result), last, Optional.empty());
      }
      // Never what only observe mode allows, and no action of a pack that needs more.
      List<String> needed = result.judged().pack().capabilities();
      approved &=
          !ReasonCode.OBSERVED.is(result.decision().reason().code())
              && !needed.isEmpty()
              && settings.autoApprove().containsAll(needed);
    }
    return new Answered(new HookOutcome.Allow(approved), last, Optional.empty());
  }

  private HookOutcome denied(
      HookCaller caller, HookAgent agent, ToolCall call, VerifyResult result) {
    Decision decision = result.decision();
    String reason = text(decision.reason().code(), decision.reason().message(), decision.id());
    if (!ReasonCode.APPROVAL_REQUIRED.is(decision.reason().code())) {
      return new HookOutcome.Deny(reason);
    }
    if (caller.localApproval() && agent.asks(call.event())) {
      return new HookOutcome.Ask(reason);
    }
    return new HookOutcome.Deny(
        result
            .approval()
            .map(waits ->
                reason
                    + " Ask a person to approve it at "
                    + baseUrl
                    + "/console/approvals/"
                    + waits.id()
                    + ", then repeat exactly this call.")
            .orElse(reason));
  }

  private static VerifyRequest request(
      Origin origin, Subject subject, Question question, Optional<String> refusal) {
    return new VerifyRequest(
        new VerifyRequest.Sender(
            origin.caller(), Optional.of(subject.org()), origin.requestId(), origin.address()),
        question.policyId(),
        new VerifyRequest.Sent(
            List.of(subject.agentId()),
            question.context(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            question.context()),
        new VerifyRequest.Options(
            false,
            false,
            false,
            refusal.map(why ->
                Reason.of(
                    question.context().has("file_path")
                        ? ReasonCode.PATH_BLOCKED
                        : ReasonCode.BLOCKED_PATTERN,
                    why))),
        Optional.empty(),
        Optional.of(new VerifyRequest.ApprovalQuestion(Optional.empty(), true)));
  }

  private Answered withoutAction(
      HookCaller caller, HookAgent agent, ToolCall call, Subject subject) {
    boolean active =
        subject.passport().status().equals(Optional.of(PassportStatus.ACTIVE.wire()))
            && subject.chain().active()
            && subject.end().isAfter(recorder.now());
    boolean halted = halts.stopping(subject.org()).isPresent();
    if (halted || !active) {
      return refused(
          caller,
          agent,
          call,
          subject,
          halted ? ReasonCode.ORGANIZATION_HALTED : ReasonCode.PASSPORT_SUSPENDED,
          halted ? "Every agent of the organization is halted." : "The passport is not active.");
    }
    AuditRecord entry = record(caller, agent, call, subject, "no_action");
    return new Answered(new HookOutcome.Allow(false), entry.id().toString(), Optional.empty());
  }

  private Answered refused(
      HookCaller caller,
      HookAgent agent,
      ToolCall call,
      Subject subject,
      ReasonCode code,
      String why) {
    AuditRecord entry = record(caller, agent, call, subject, code.wire());
    return new Answered(
        new HookOutcome.Deny(text(code.wire(), why, entry.id())),
        entry.id().toString(),
        code == ReasonCode.UNKNOWN_CAPABILITY ? Optional.of("unknown_tool") : Optional.empty());
  }

  /** Records a tool's use that no policy evaluates. Its input is not recorded. */
  private AuditRecord record(
      HookCaller caller, HookAgent agent, ToolCall call, Subject subject, String reason) {
    Instant now = recorder.now();
    AuditRecord entry =
        recorder.write(
            RecordKind.HOOK_CALL,
            subject.org(),
            new AgentId(subject.agentId()),
            now,
            caller.origin(),
            JsonObject.builder()
                .put("hook", agent.name())
                .put("event", call.event())
                .put("name", Excerpt.of(call.tool()))
                .put("reason", reason)
                .build());
    boolean _ = store.change(_ -> MutationResult.of(true, entry));
    return entry;
  }

  private static String text(String code, String message, Object id) {
    return "Safeconduct denies this: "
        + HookOutcome.clipped(message)
        + " ("
        + code
        + ", decision "
        + id
        + ")";
  }

  /**
   * The result of a hook event.
   *
   * @param recordId the decision that determines the outcome, or the record of an event that no
   *     policy evaluates
   * @param error why no policy could be asked
   */
  record Answered(HookOutcome outcome, String recordId, Optional<String> error) {}

  /**
   * Who sends a hook event.
   *
   * @param agentIds the passport's ids in the request, as written; none for a setup key
   * @param localApproval whether the agent's user may approve what needs an approval
   */
  record HookCaller(
      Origin origin, List<String> agentIds, boolean localApproval, Progress progress) {}
}
