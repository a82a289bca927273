package dev.safeconduct.client;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer to "may this agent do this, now?".
 *
 * @param allow true only if the service said so and the answer passed every check of this client
 * @param reasons why, the deciding one first; {@code client.unavailable} if the service did not
 *     give a valid answer
 * @param decisionId the decision's id; null if there is no decision
 * @param expiresAt the end of an allow (ISO 8601); null if there is no decision
 * @param expiresIn seconds for which an allow can be used again
 * @param approval the approval that a person can still give
 * @param reservationId the reservation of an allow that was asked for with one
 * @param verified whether the signature was checked with the service's key set
 * @param cached whether it is a stored allow for the same question
 * @param status HTTP status of an answer that was not a decision
 * @param errorCode error code of an answer that was not a decision
 * @param raw the signed object as it was sent; empty if there is none
 */
public record Decision(
    boolean allow,
    List<Reason> reasons,
    @Nullable String decisionId,
    @Nullable String expiresAt,
    int expiresIn,
    @Nullable Approval approval,
    @Nullable String reservationId,
    boolean verified,
    boolean cached,
    @Nullable Integer status,
    @Nullable String errorCode,
    Map<String, @Nullable Object> raw) {

  static final String UNAVAILABLE = "client.unavailable";

  /**
   * Why a decision is as it is.
   *
   * @param code stable, for programs
   * @param message for people
   */
  public record Reason(String code, String message) {}

  /**
   * An approval that a person has yet to give.
   *
   * @param approvalId its id
   * @param expiresAt its end (ISO 8601)
   * @param link the page where a person can answer
   */
  public record Approval(String approvalId, String expiresAt, String link) {}

  /** Returns the deciding reason. */
  public Reason reason() {
    return reasons.get(0);
  }

  /** Returns whether a person can still allow this action. */
  public boolean isApprovalRequired() {
    return approval != null && !allow;
  }

  static Decision unavailable(
      String message, @Nullable Integer status, @Nullable String errorCode) {
    return denied(new Reason(UNAVAILABLE, message), status, errorCode);
  }

  /** Returns a deny that the service did not give. */
  static Decision denied(Reason reason, @Nullable Integer status, @Nullable String errorCode) {
    return new Decision(
        false,
        List.of(reason),
        null,
        null,
        0,
        null,
        null,
        false,
        false,
        status,
        errorCode,
        Map.of());
  }

  /**
   * Reads an answer of the verify operation. Only the members under the signature decide.
   *
   * @throws IllegalArgumentException if the answer does not have the documented form
   */
  static Decision read(@Nullable Object answer) throws InvalidAnswer {
    Map<String, @Nullable Object> members = Json.object(answer);
    Map<String, @Nullable Object> signed = signedObject(members);
    return new Decision(
        Json.bool(signed, "allow"),
        Json.list(signed, "reasons").stream().map(Decision::readReason).toList(),
        Json.text(signed, "decision_id"),
        Json.text(signed, "expires_at"),
        seconds(signed),
        readApproval(members.get("approval")),
        Json.optionalText(members, "reservation_id"),
        false,
        false,
        null,
        null,
        signed);
  }

  /** Returns {@code decision} if the answer has it, else the answer itself. */
  static Map<String, @Nullable Object> signedObject(Map<String, @Nullable Object> answer)
      throws InvalidAnswer {
    if (!answer.containsKey("decision")) {
      return answer;
    }
    Map<String, @Nullable Object> signed = Json.object(answer.get("decision"));
    for (String name : signed.keySet()) {
      if (answer.containsKey(name)
          && !Arrays.equals(Canonical.of(answer.get(name)), Canonical.of(signed.get(name)))) {
        throw new InvalidAnswer(name + " differs from decision." + name);
      }
    }
    if (answer.containsKey("verified")
        && !java.util.Objects.equals(answer.get("verified"), signed.get("allow"))) {
      throw new InvalidAnswer("verified differs from decision.allow");
    }
    return signed;
  }

  Decision withVerified(boolean checked) {
    return new Decision(
        allow,
        reasons,
        decisionId,
        expiresAt,
        expiresIn,
        approval,
        reservationId,
        checked,
        cached,
        status,
        errorCode,
        raw);
  }

  Decision asCached() {
    return new Decision(
        allow,
        reasons,
        decisionId,
        expiresAt,
        expiresIn,
        approval,
        reservationId,
        verified,
        true,
        status,
        errorCode,
        raw);
  }

  private static Reason readReason(@Nullable Object value) {
    Map<String, @Nullable Object> reason = Json.object(value);
    String message = Json.optionalText(reason, "message");
    return new Reason(Json.text(reason, "code"), message == null ? "" : message);
  }

  private static @Nullable Approval readApproval(@Nullable Object value) throws InvalidAnswer {
    if (value == null) {
      return null;
    }
    Map<String, @Nullable Object> approval = Json.object(value);
    String link = Json.optionalText(approval, "approval_url");
    return new Approval(
        Json.text(approval, "approval_id"),
        Json.text(approval, "expires_at"),
        link == null ? "" : link);
  }

  private static int seconds(Map<String, @Nullable Object> signed) throws InvalidAnswer {
    if (signed.get("expires_in") instanceof Integer seconds && seconds >= 0 && seconds <= 30) {
      return seconds;
    }
    throw new InvalidAnswer("expires_in is not a number of seconds up to 30");
  }
}
