package dev.safeconduct.policy.expression;

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
 * All values that something may have, seen from above: a value that is not in here cannot occur,
 * while one that is may or may not.
 */
public record Values(
    boolean undefined,
    boolean nil,
    boolean yes,
    boolean no,
    Optional<Numbers> numbers,
    Optional<Strings> strings,
    Optional<Arrays> arrays,
    Optional<Objects> objects) {

  /** Arrays; {@code element} is Java {@code null} when anything may be in them. */
  public record Arrays(@Nullable Values element, long least, long most) {
    public static final Arrays ANY = new Arrays(null, 0, Long.MAX_VALUE);

    Values elements() {
      return element == null ? Values.ANY : element;
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
   * @param members what the named members may be; one that may be missing may be undefined
   * @param others what all other members may be; Java {@code null} for anything
   * @param described whether reading a member that is not named is a mistake
   */
  public record Objects(Map<String, Values> members, @Nullable Values others, boolean described) {
    public static final Objects ANY = new Objects(Map.of(), null, false);

    public Objects {
      members = Map.copyOf(members);
    }

    Values member(String name) {
      Values member = members.get(name);
      return member != null ? member : rest();
    }

    Values rest() {
      return others == null ? Values.ANY : others;
    }

    Objects or(Objects other) {
      Set<String> names = new HashSet<>(members.keySet());
      names.addAll(other.members.keySet());
      var all = new HashMap<String, Values>();
      names.forEach(name -> all.put(name, member(name).or(other.member(name))));
      return new Objects(
          all,
          others == null || other.others == null ? null : others.or(other.others),
          described && other.described);
    }
  }

  public static final Values NONE = scalar(false, false, false, false);
  public static final Values UNDEFINED = scalar(true, false, false, false);
  public static final Values NULL = scalar(false, true, false, false);
  public static final Values ABSENT = scalar(true, true, false, false);
  public static final Values TRUE = scalar(false, false, true, false);
  public static final Values FALSE = scalar(false, false, false, true);
  public static final Values BOOLEAN = scalar(false, false, true, true);
  public static final Values NUMBER = of(Numbers.ANY);
  public static final Values STRING = of(Strings.ANY);
  public static final Values ARRAY = of(Arrays.ANY);
  public static final Values OBJECT = of(Objects.ANY);
  public static final Values ANY =
      new Values(
          true,
          true,
          true,
          true,
          Optional.of(Numbers.ANY),
          Optional.of(Strings.ANY),
          Optional.of(Arrays.ANY),
          Optional.of(Objects.ANY));

  private static Values scalar(boolean undefined, boolean nil, boolean yes, boolean no) {
    return new Values(
        undefined,
        nil,
        yes,
        no,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  public static Values of(Numbers numbers) {
    return NONE.withNumbers(Optional.of(numbers));
  }

  public static Values of(Strings strings) {
    return NONE.withStrings(Optional.of(strings));
  }

  public static Values of(Arrays arrays) {
    return NONE.withArrays(Optional.of(arrays));
  }

  public static Values of(Objects objects) {
    return NONE.withObjects(Optional.of(objects));
  }

  static Values truth(boolean mayHold, boolean mayNot) {
    return scalar(false, false, mayHold, mayNot);
  }

  /** Exactly the value, or for an array or object what is alike; {@code null} is undefined. */
  public static Values of(@Nullable JsonValue value) {
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

  Values withNumbers(Optional<Numbers> other) {
    return new Values(undefined, nil, yes, no, other, strings, arrays, objects);
  }

  Values withStrings(Optional<Strings> other) {
    return new Values(undefined, nil, yes, no, numbers, other, arrays, objects);
  }

  Values withArrays(Optional<Arrays> other) {
    return new Values(undefined, nil, yes, no, numbers, strings, other, objects);
  }

  Values withObjects(Optional<Objects> other) {
    return new Values(undefined, nil, yes, no, numbers, strings, arrays, other);
  }

  /** These, or what is absent. */
  public Values orAbsent() {
    return or(ABSENT);
  }

  /** These, or undefined. */
  public Values orUndefined() {
    return or(UNDEFINED);
  }

  public Values or(Values other) {
    return new Values(
        undefined || other.undefined,
        nil || other.nil,
        yes || other.yes,
        no || other.no,
        either(numbers, other.numbers, Numbers::or),
        either(strings, other.strings, Strings::or),
        either(arrays, other.arrays, Arrays::or),
        either(objects, other.objects, Objects::or));
  }

  /** What is in both; of arrays and objects what this one knows. */
  public Values and(Values other) {
    return new Values(
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

  /** Those that are there. */
  Values present() {
    return new Values(false, false, yes, no, numbers, strings, arrays, objects);
  }

  Values absent() {
    return scalar(undefined, nil, false, false);
  }

  /** Without arrays and objects, which are equal to nothing. */
  Values scalars() {
    return new Values(
        undefined, nil, yes, no, numbers, strings, Optional.empty(), Optional.empty());
  }

  Values truthy() {
    return new Values(
        false,
        false,
        yes,
        false,
        numbers.filter(range -> range.least() != 0 || range.most() != 0),
        strings.flatMap(texts -> texts.without(Set.of(""))),
        arrays,
        objects);
  }

  Values falsy() {
    return new Values(
        undefined,
        nil,
        false,
        no,
        numbers.filter(range -> range.holds(0)).map(_ -> new Numbers(0, 0, true)),
        strings.filter(texts -> texts.holds("")).map(_ -> Strings.of(Set.of(""))),
        Optional.empty(),
        Optional.empty());
  }

  /** Whether there is exactly one value, and it can be compared. */
  boolean isOne() {
    int kinds = (undefined ? 1 : 0) + (nil ? 1 : 0) + (yes ? 1 : 0) + (no ? 1 : 0);
    return arrays.isEmpty()
        && objects.isEmpty()
        && numbers.map(Numbers::isOne).orElse(true)
        && strings.map(Strings::isOne).orElse(true)
        && kinds + (numbers.isPresent() ? 1 : 0) + (strings.isPresent() ? 1 : 0) == 1;
  }

  /** What they are, in words, such as {@code a number or undefined}. */
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
