package dev.safeconduct.client;

import org.jspecify.annotations.Nullable;

/** The action is denied, and did not run. */
public final class ActionDeniedException extends SafeconductException {
  private static final long serialVersionUID = 1;

  private final transient Decision decision;

  ActionDeniedException(Decision decision) {
    super(message(decision));
    this.decision = decision;
  }

  /** Returns the decision. */
  public Decision decision() {
    return decision;
  }

  /** Returns the deciding reason's code. */
  public String code() {
    return decision.reason().code();
  }

  /** Returns the decision's id; null if the service did not answer. */
  public @Nullable String decisionId() {
    return decision.decisionId();
  }

  /** Returns the approval that a person can still give, if there is one. */
  public Decision.@Nullable Approval approval() {
    return decision.approval();
  }

  private static String message(Decision decision) {
    Decision.Reason reason = decision.reason();
    Decision.Approval approval = decision.approval();
    return reason.code()
        + ": "
        + reason.message()
        + (approval == null ? "" : " Ask for approval: " + approval.link());
  }
}
