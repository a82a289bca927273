/** The rules about an agent's own sessions and tools (pack catalogue 20, 21). */
@NullMarked
package dev.safeconduct.decision.agent;

import org.jspecify.annotations.NullMarked;
