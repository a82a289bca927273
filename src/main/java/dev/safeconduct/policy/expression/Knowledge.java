package dev.safeconduct.policy.expression;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the facts at one place of a rule: what the roots may hold, and for some paths
 * more, because of what was found out on the way there. Immutable.
 */
public final class Knowledge {
  private final Map<String, Values> roots;

  /** Paths from a root with what they may be, where that is less than the root tells. */
  private final Map<List<String>, Values> narrowed;

  private Knowledge(Map<String, Values> roots, Map<List<String>, Values> narrowed) {
    this.roots = roots;
    this.narrowed = narrowed;
  }

  /**
   * What is known before the first rule.
   *
   * @param context what the context may hold once it has been checked
   * @param limits what the limits may hold
   * @param policy what {@code policy} holds
   */
  public static Knowledge of(Values context, Values limits, Values policy) {
    return new Knowledge(
        Map.of("context", context, "limits", limits, "policy", policy, "passport", Values.OBJECT),
        Map.of());
  }

  /** What the root, or the value under a name of ours, may be. */
  Values root(String name) {
    return roots.getOrDefault(name, Values.ANY);
  }

  /** With what a lambda's parameter may be. */
  Knowledge knowing(String name, Values values) {
    var more = new HashMap<>(roots);
    more.put(name, values);
    return new Knowledge(more, narrowed);
  }

  /** The part of the values that is possible at the path. */
  Values at(List<String> path, Values values) {
    Values known = narrowed.get(path);
    return known == null ? values : values.and(known);
  }

  /** The same with the path narrowed down; Java {@code null} when nothing is left of it. */
  @Nullable Knowledge with(List<String> path, Values values) {
    Values known = narrowed.get(path);
    Values left = known == null ? values : values.and(known);
    if (left.isEmpty()) {
      return null;
    }
    var more = new HashMap<>(narrowed);
    more.put(path, left);
    return new Knowledge(roots, more);
  }

  /** What is known when one of the two holds; Java {@code null} when neither can. */
  static @Nullable Knowledge either(@Nullable Knowledge a, @Nullable Knowledge b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    var both = new HashMap<List<String>, Values>();
    a.narrowed.forEach((path, values) -> {
      Values other = b.narrowed.get(path);
      if (other != null) {
        both.put(path, values.or(other));
      }
    });
    return new Knowledge(a.roots, both);
  }
}
