/**
 * The expression language of policy rules. An expression is compiled once, when its pack is loaded,
 * and evaluated for every decision. Start at {@link Expression}.
 *
 * <p>Expressions only read facts and return a value; nothing in the language can change state.
 * Every evaluation is bounded in steps, time and size, because packs may come from callers.
 */
@NullMarked
package dev.safeconduct.policy.expression;

import org.jspecify.annotations.NullMarked;
