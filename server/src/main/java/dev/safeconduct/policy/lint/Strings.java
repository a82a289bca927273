package dev.safeconduct.policy.lint;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Texts: a few known ones, or any between two lengths.
 *
 * @param known Java {@code null} for any
 * @param least the minimum length in UTF-16 units
 * @param most the maximum length in UTF-16 units
 */
record Strings(@Nullable Set<String> known, long least, long most) {
  static final Strings ANY = new Strings(null, 0, Long.MAX_VALUE);

  /** Returns exactly these texts, at least one. */
  static Strings of(Set<String> texts) {
    long least = texts.stream().mapToLong(String::length).min().orElse(0);
    long most = texts.stream().mapToLong(String::length).max().orElse(0);
    return new Strings(new TreeSet<>(texts), least, most);
  }

  /** Returns all texts between the lengths. */
  static Strings between(long least, long most) {
    return new Strings(null, least, Math.max(least, most));
  }

  boolean isOne() {
    return known != null && known.size() == 1;
  }

  boolean holds(String text) {
    return known == null ? text.length() >= least && text.length() <= most : known.contains(text);
  }

  Strings or(Strings other) {
    if (known != null && other.known != null) {
      var all = new TreeSet<>(known);
      all.addAll(other.known);
      return of(all);
    }
    return between(Math.min(least, other.least), Math.max(most, other.most));
  }

  Optional<Strings> and(Strings other) {
    if (known == null && other.known == null) {
      long low = Math.max(least, other.least);
      long high = Math.min(most, other.most);
      return low <= high ? Optional.of(between(low, high)) : Optional.empty();
    }
    var both = new TreeSet<String>(known != null ? known : other.orNone());
    both.removeIf(text -> !holds(text) || !other.holds(text));
    return both.isEmpty() ? Optional.empty() : Optional.of(of(both));
  }

  Optional<Strings> without(Set<String> texts) {
    if (known == null) {
      return texts.contains("") && least == 0
          ? most == 0 ? Optional.empty() : Optional.of(between(1, most))
          : Optional.of(this);
    }
    var rest = new TreeSet<>(known);
    rest.removeAll(texts);
    return rest.isEmpty() ? Optional.empty() : Optional.of(of(rest));
  }

  private Set<String> orNone() {
    return known == null ? Set.of() : known;
  }
}
