package dev.safeconduct.policy.expression;

import java.util.List;
import java.util.Optional;

/** Reading a member by its name: what it may be, and whether such a name can be meant. */
final class Members {
  private static final String LENGTH = "length";

  private Members() {}

  /** What the member may be, where reading it does not fail. */
  static Values of(Values target, String name) {
    Values read = Values.NONE;
    if (target.objects().isPresent()) {
      read = read.or(target.objects().get().member(name));
    }
    boolean length = name.equals(LENGTH);
    if (target.strings().isPresent()) {
      Strings texts = target.strings().get();
      read = read.or(length ? size(texts.least(), texts.most()) : Values.UNDEFINED);
    }
    if (target.arrays().isPresent()) {
      Values.Arrays arrays = target.arrays().get();
      read = read.or(length ? size(arrays.least(), arrays.most()) : Values.UNDEFINED);
    }
    return target.numbers().isPresent() || target.yes() || target.no() ? read.orUndefined() : read;
  }

  private static Values size(long least, long most) {
    return Values.of(
        new Numbers(least, most == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : most, true));
  }

  /** Why the name cannot be meant, if it cannot. */
  static Optional<Finding> finding(
      Inspector inspector, Values target, Syntax owner, String name, int column) {
    Optional<Values.Objects> objects = target.objects();
    Values rest = target.present().withObjects(Optional.empty());
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
