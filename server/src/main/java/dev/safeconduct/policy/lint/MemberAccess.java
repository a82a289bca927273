package dev.safeconduct.policy.lint;

import dev.safeconduct.policy.expression.Hints;
import dev.safeconduct.policy.expression.Syntax;
import java.util.List;
import java.util.Optional;

/**
 * Inspects reading a member by its name: its possible values, and whether the name is a mistake.
 */
final class MemberAccess {
  private static final String LENGTH = "length";

  private MemberAccess() {}

  /** Returns the member's possible values if reading it does not fail. */
  static ValueSet of(ValueSet target, String name) {
    ValueSet read = ValueSet.NONE;
    if (target.objects().isPresent()) {
      read = read.or(target.objects().get().member(name));
    }
    boolean length = name.equals(LENGTH);
    if (target.strings().isPresent()) {
      Strings texts = target.strings().get();
      read = read.or(length ? size(texts.least(), texts.most()) : ValueSet.UNDEFINED);
    }
    if (target.arrays().isPresent()) {
      ValueSet.Arrays arrays = target.arrays().get();
      read = read.or(length ? size(arrays.least(), arrays.most()) : ValueSet.UNDEFINED);
    }
    return target.numbers().isPresent() || target.yes() || target.no() ? read.orUndefined() : read;
  }

  private static ValueSet size(long least, long most) {
    return ValueSet.of(
        new Numbers(least, most == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : most, true));
  }

  /** Returns why the name is a mistake, if it is. */
  static Optional<Finding> finding(
      Inspector inspector, ValueSet target, Syntax owner, String name, int column) {
    Optional<ValueSet.Objects> objects = target.objects();
    ValueSet rest = target.present().withObjects(Optional.empty());
    if (objects.isPresent()) {
      if (!rest.isEmpty()
          || !objects.get().described()
          || objects.get().members().containsKey(name)) {
        return Optional.empty();
      }
      String what =
          inspector
              .scope
              .path(owner)
              .map(path ->
                  switch (String.join(".", path)) {
                    case "context" -> "the pack's context has no field \"" + name + "\"";
                    case "limits" -> "the pack has no limit \"" + name + "\"";
                    default -> inspector.scope.shown(owner) + " has no member \"" + name + "\"";
                  })
              .orElse(inspector.scope.shown(owner) + " has no member \"" + name + "\"");
      return Optional.of(
          Finding.of(column, what, Hints.nearest(name, Inspector.names(objects.get()))));
    }
    boolean sized = rest.strings().isPresent() || rest.arrays().isPresent();
    if (sized && name.equals(LENGTH)) {
      return Optional.empty();
    }
    return Optional.of(
        Finding.of(
            column,
            inspector.scope.shown(owner)
                + " is "
                + rest.words()
                + ", which has no member \""
                + name
                + "\", so this is always undefined",
            sized ? Hints.nearest(name, List.of(LENGTH)) : ""));
  }
}
