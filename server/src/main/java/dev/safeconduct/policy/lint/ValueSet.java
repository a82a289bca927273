package dev.safeconduct.policy.lint;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A superset of the values that something may have. A value outside the set cannot occur; a value
 * inside may or may not.
 */
record ValueSet(
    boolean undefined,
    boolean nil,
    boolean yes,
    boolean no,
    Optional<Numbers> numbers,
    Optional<Strings> strings,
    Optional<Arrays> arrays,
    Optional<Objects> objects) {

  /** Arrays; {@code element} is Java {@code null} if elements may be any value. */
  record Arrays(@Nullable ValueSet element, long least, long most) {
    static final Arrays ANY = new Arrays(null, 0, Long.MAX_VALUE);

    ValueSet elements() {
      return element == null ? ValueSet.ANY : element;
    }

    Arrays or(Arrays other) {
      return new Arrays(
          element == null || other.element == null ? null : element.or(other.element),
          Math.min(least, other.least),
          Math.max(most, other.most));
    }
  }

  /**
   * Objects.
   *
   * @param members the possible values of named members; an optional member may be undefined
   * @param others the possible values of all other members; Java {@code null} for any
   * @param described whether reading a member that is not named is a mistake
   */
  record Objects(Map<String, ValueSet> members, @Nullable ValueSet others, boolean described) {
    static final Objects ANY = new Objects(Map.of(), null, false);

    Objects {
      members = Map.copyOf(members);
    }

    ValueSet member(String name) {
      ValueSet member = members.get(name);
      return member != null ? member : rest();
    }

    ValueSet rest() {
      return others == null ? ValueSet.ANY : others;
    }

    Objects or(Objects other) {
      Set<String> names = new HashSet<>(members.keySet());
      names.addAll(other.members.keySet());
      var all = new HashMap<String, ValueSet>();
      names.forEach(name -> all.put(name, member(name).or(other.member(name))));
      return new Objects(
          all,
          others == null || other.others == null ? null : others.or(other.others),
          described && other.described);
    }
  }

  static final ValueSet NONE = scalar(false, false, false, false);
  static final ValueSet UNDEFINED = scalar(true, false, false, false);
  static final ValueSet NULL = scalar(false, true, false, false);
  static final ValueSet ABSENT = scalar(true, true, false, false);
  static final ValueSet TRUE = scalar(false, false, true, false);
  static final ValueSet FALSE = scalar(false, false, false, true);
  static final ValueSet BOOLEAN = scalar(false, false, true, true);
  static final ValueSet NUMBER = of(Numbers.ANY);
  static final ValueSet STRING = of(Strings.ANY);
  static final ValueSet ARRAY = of(Arrays.ANY);
  static final ValueSet OBJECT = of(Objects.ANY);
  static final ValueSet ANY =
      new ValueSet(
          true,
          true,
          true,
          true,
          Optional.of(Numbers.ANY),
          Optional.of(Strings.ANY),
          Optional.of(Arrays.ANY),
          Optional.of(Objects.ANY));

  private static ValueSet scalar(boolean undefined, boolean nil, boolean yes, boolean no) {
    return new ValueSet(
        undefined,
        nil,
        yes,
        no,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  static ValueSet of(Numbers numbers) {
    return NONE.withNumbers(Optional.of(numbers));
  }

  static ValueSet of(Strings strings) {
    return NONE.withStrings(Optional.of(strings));
  }

  static ValueSet of(Arrays arrays) {
    return NONE.withArrays(Optional.of(arrays));
  }

  static ValueSet of(Objects objects) {
    return NONE.withObjects(Optional.of(objects));
  }

  static ValueSet truth(boolean mayHold, boolean mayNot) {
    return scalar(false, false, mayHold, mayNot);
  }

  /** Returns exactly the value, or for an array or object its shape; {@code null} is undefined. */
  static ValueSet of(@Nullable JsonValue value) {
    return switch (value) {
      case null -> UNDEFINED;
      case JsonNull _ -> NULL;
      case JsonBoolean truth -> truth == JsonBoolean.TRUE ? TRUE : FALSE;
      case JsonNumber number -> of(new Numbers(number.value(), number.value(), false));
      case JsonString text -> of(Strings.of(Set.of(text.value())));
      case JsonArray array -> of(new Arrays(null, array.size(), array.size()));
      case JsonObject _ -> OBJECT;
      case JsonOverflow _ -> OBJECT; // holds as one does, and like one equals nothing
    };
  }

  ValueSet withNumbers(Optional<Numbers> other) {
    return new ValueSet(undefined, nil, yes, no, other, strings, arrays, objects);
  }

  ValueSet withStrings(Optional<Strings> other) {
    return new ValueSet(undefined, nil, yes, no, numbers, other, arrays, objects);
  }

  ValueSet withArrays(Optional<Arrays> other) {
    return new ValueSet(undefined, nil, yes, no, numbers, strings, other, objects);
  }

  ValueSet withObjects(Optional<Objects> other) {
    return new ValueSet(undefined, nil, yes, no, numbers, strings, arrays, other);
  }

  /** Returns these values, or absent ones. */
  ValueSet orAbsent() {
    return or(ABSENT);
  }

  ValueSet orUndefined() {
    return or(UNDEFINED);
  }

  ValueSet or(ValueSet other) {
    return new ValueSet(
        undefined || other.undefined,
        nil || other.nil,
        yes || other.yes,
        no || other.no,
        either(numbers, other.numbers, Numbers::or),
        either(strings, other.strings, Strings::or),
        either(arrays, other.arrays, Arrays::or),
        either(objects, other.objects, Objects::or));
  }

  /** Returns the values in both sets; for arrays and objects, this set's knowledge. */
  ValueSet and(ValueSet other) {
    return new ValueSet(
        undefined && other.undefined,
        nil && other.nil,
        yes && other.yes,
        no && other.no,
        numbers.flatMap(a -> other.numbers.flatMap(a::and)),
        strings.flatMap(a -> other.strings.flatMap(a::and)),
        other.arrays.isPresent() ? arrays : Optional.empty(),
        other.objects.isPresent() ? objects : Optional.empty());
  }

  private static <T> Optional<T> either(
      Optional<T> a, Optional<T> b, java.util.function.BinaryOperator<T> join) {
    return a.isPresent() && b.isPresent()
        ? Optional.of(join.apply(a.get(), b.get()))
        : a.isPresent() ? a : b;
  }

  boolean isEmpty() {
    return !mayBeAbsent() && present().isNothing();
  }

  private boolean isNothing() {
    return !yes
        && !no
        && numbers.isEmpty()
        && strings.isEmpty()
        && arrays.isEmpty()
        && objects.isEmpty();
  }

  boolean mayBeAbsent() {
    return undefined || nil;
  }

  /** Returns the values that are not absent. */
  ValueSet present() {
    return new ValueSet(false, false, yes, no, numbers, strings, arrays, objects);
  }

  ValueSet absent() {
    return scalar(undefined, nil, false, false);
  }

  /** Returns the values without arrays and objects, which are equal to nothing. */
  ValueSet scalars() {
    return new ValueSet(
        undefined, nil, yes, no, numbers, strings, Optional.empty(), Optional.empty());
  }

  ValueSet truthy() {
    return new ValueSet(
        false,
        false,
        yes,
        false,
        numbers.filter(range -> range.least() != 0 || range.most() != 0),
        strings.flatMap(texts -> texts.without(Set.of(""))),
        arrays,
        objects);
  }

  ValueSet falsy() {
    return new ValueSet(
        undefined,
        nil,
        false,
        no,
        numbers.filter(range -> range.holds(0)).map(_ -> new Numbers(0, 0, true)),
        strings.filter(texts -> texts.holds("")).map(_ -> Strings.of(Set.of(""))),
        Optional.empty(),
        Optional.empty());
  }

  /** Returns whether there is exactly one value, and it can be compared. */
  boolean isOne() {
    int kinds = (undefined ? 1 : 0) + (nil ? 1 : 0) + (yes ? 1 : 0) + (no ? 1 : 0);
    return arrays.isEmpty()
        && objects.isEmpty()
        && numbers.map(Numbers::isOne).orElse(true)
        && strings.map(Strings::isOne).orElse(true)
        && kinds + (numbers.isPresent() ? 1 : 0) + (strings.isPresent() ? 1 : 0) == 1;
  }

  /** Describes the values, such as {@code a number or undefined}. */
  String words() {
    List<String> kinds = new ArrayList<>();
    numbers.ifPresent(_ -> kinds.add("a number"));
    strings.ifPresent(_ -> kinds.add("a string"));
    if (yes || no) {
      kinds.add("a boolean");
    }
    arrays.ifPresent(_ -> kinds.add("an array"));
    objects.ifPresent(_ -> kinds.add("an object"));
    if (nil) {
      kinds.add("null");
    }
    if (undefined) {
      kinds.add("undefined");
    }
    return String.join(" or ", kinds);
  }
}
