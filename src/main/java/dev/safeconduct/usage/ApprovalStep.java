package dev.safeconduct.usage;

/** What a decision does to an approval, in its own transaction. */
public sealed interface ApprovalStep {
  /**
   * The deny asks a person. When the same question has come to wait meanwhile, or as many as may
   * wait, the decision is superseded.
   */
  record Open(Approval approval) implements ApprovalStep {}

  /**
   * The allow takes the answer, which is then used up. When it cannot be had any more the decision
   * is superseded.
   */
  record Use(Approval approval) implements ApprovalStep {}
}
