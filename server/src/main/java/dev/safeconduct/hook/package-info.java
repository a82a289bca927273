/**
 * Hooks of coding agents: takes the event that an agent's own hook sends before it uses a tool,
 * asks the policies, and answers in the agent's words. Every failure is a deny.
 */
@NullMarked
package dev.safeconduct.hook;

import org.jspecify.annotations.NullMarked;
