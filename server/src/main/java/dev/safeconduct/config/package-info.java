/**
 * Typed reading of the environment, which reports all faults at startup; files of keys; background
 * threads.
 */
@NullMarked
package dev.safeconduct.config;

import org.jspecify.annotations.NullMarked;
