/**
 * The expression language of policy rules: one expression, compiled once when its pack is loaded
 * and evaluated for every decision. Start at {@link Expression}.
 *
 * <p>Expressions read facts and answer; nothing in the language can change state, and every
 * evaluation is bounded in steps, time and size because packs may come from callers.
 */
@NullMarked
package dev.safeconduct.policy.expression;

import org.jspecify.annotations.NullMarked;
