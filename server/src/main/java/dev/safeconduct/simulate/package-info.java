/**
 * Evaluation without a running service: test cases for packs, replays of recorded decisions and
 * shadow evaluation.
 */
@NullMarked
package dev.safeconduct.simulate;

import org.jspecify.annotations.NullMarked;
