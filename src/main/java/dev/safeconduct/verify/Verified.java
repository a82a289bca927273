package dev.safeconduct.verify;

import dev.safeconduct.decision.Check;
import dev.safeconduct.usage.Approval;
import java.util.List;
import java.util.Optional;

/**
 * What {@link VerifyAction} gives back.
 *
 * @param replayed whether an earlier equal request's decision stands
 * @param trace the checks made, when asked for
 * @param approval what a person has to answer first
 * @param lifted what dialects lifted from where
 */
record Verified(
    SignedDecision decision,
    JudgedPack judged,
    Subject subject,
    boolean replayed,
    List<Check> trace,
    List<String> lifted,
    Optional<Approval> approval) {}
