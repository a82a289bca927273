package dev.safeconduct.policy.lint;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge about the facts at one place of a rule. It has the possible values of the roots,
 * and narrower values for some paths from earlier conditions. Immutable.
 */
final class TypeEnvironment {
  private final Map<String, ValueSet> roots;

  /** The possible values of paths, where they are narrower than the root's. */
  private final Map<List<String>, ValueSet> narrowed;

  private TypeEnvironment(Map<String, ValueSet> roots, Map<List<String>, ValueSet> narrowed) {
    this.roots = roots;
    this.narrowed = narrowed;
  }

  /**
   * Returns the knowledge before the first rule.
   *
   * @param context the possible values of the checked context
   * @param limits the possible values of the limits
   * @param policy the possible values of {@code policy}
   */
  static TypeEnvironment of(ValueSet context, ValueSet limits, ValueSet policy) {
    return new TypeEnvironment(
        Map.of("context", context, "limits", limits, "policy", policy, "passport", ValueSet.OBJECT),
        Map.of());
  }

  /** Returns the possible values of a root, or of a lambda's parameter. */
  ValueSet root(String name) {
    return roots.getOrDefault(name, ValueSet.ANY);
  }

  /** Returns the knowledge with the possible values of a lambda's parameter added. */
  TypeEnvironment knowing(String name, ValueSet values) {
    var more = new HashMap<>(roots);
    more.put(name, values);
    return new TypeEnvironment(more, narrowed);
  }

  /** Returns the part of the values that is possible at the path. */
  ValueSet at(List<String> path, ValueSet values) {
    ValueSet known = narrowed.get(path);
    return known == null ? values : values.and(known);
  }

  /** Returns the knowledge with the path narrowed; Java {@code null} if no value is left. */
  @Nullable TypeEnvironment with(List<String> path, ValueSet values) {
    ValueSet known = narrowed.get(path);
    ValueSet left = known == null ? values : values.and(known);
    if (left.isEmpty()) {
      return null;
    }
    var more = new HashMap<>(narrowed);
    more.put(path, left);
    return new TypeEnvironment(roots, more);
  }

  /** Returns the knowledge if either of the two is true; Java {@code null} if neither can be. */
  static @Nullable TypeEnvironment either(
      @Nullable TypeEnvironment a, @Nullable TypeEnvironment b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    var both = new HashMap<List<String>, ValueSet>();
    a.narrowed.forEach((path, values) -> {
      ValueSet other = b.narrowed.get(path);
      if (other != null) {
        both.put(path, values.or(other));
      }
    });
    return new TypeEnvironment(a.roots, both);
  }
}
