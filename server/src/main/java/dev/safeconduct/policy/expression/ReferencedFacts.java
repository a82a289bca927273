package dev.safeconduct.policy.expression;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * The facts an expression reads; sorted.
 *
 * @param limits limits read by name
 * @param context context fields read by name
 * @param passport members of the passport read by name
 * @param whole roots of which more than named members may be read
 */
public record ReferencedFacts(
    Set<String> limits, Set<String> context, Set<String> passport, Set<String> whole) {
  public ReferencedFacts {
    limits = Collections.unmodifiableSet(new TreeSet<>(limits));
    context = Collections.unmodifiableSet(new TreeSet<>(context));
    passport = Collections.unmodifiableSet(new TreeSet<>(passport));
    whole = Collections.unmodifiableSet(new TreeSet<>(whole));
  }
}
