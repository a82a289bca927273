/**
 * What a rule may look at, and what it can answer: the contract between the engine and its
 * validators.
 */
@NullMarked
package dev.safeconduct.decision.facts;

import org.jspecify.annotations.NullMarked;
