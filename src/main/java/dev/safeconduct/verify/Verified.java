package dev.safeconduct.verify;

import dev.safeconduct.decision.Check;
import java.util.List;

/**
 * What {@link VerifyAction} gives back.
 *
 * @param replayed whether an earlier equal request's decision stands
 * @param trace the checks made, when asked for
 * @param lifted what dialects lifted from where
 */
record Verified(
    SignedDecision decision,
    JudgedPack judged,
    Subject subject,
    boolean replayed,
    List<Check> trace,
    List<String> lifted) {}
