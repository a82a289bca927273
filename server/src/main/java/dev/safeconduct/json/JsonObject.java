package dev.safeconduct.json;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A JSON object; member names are unique and keep their order. */
public final class JsonObject implements JsonValue {
  public static final JsonObject EMPTY = builder().build();

  private final MemberTable members;

  private JsonObject(MemberTable members) {
    this.members = members;
  }

  public static Builder builder() {
    return new Builder(new MemberTable());
  }

  public static JsonObject of(String name, JsonValue value) {
    return builder().put(name, value).build();
  }

  public static JsonObject of(String name, String value) {
    return builder().put(name, value).build();
  }

  public static JsonObject of(String name, double value) {
    return builder().put(name, value).build();
  }

  public static JsonObject of(String name, boolean value) {
    return builder().put(name, value).build();
  }

  /** Returns a builder that starts with this object's members. */
  public Builder toBuilder() {
    return new Builder(members.copy());
  }

  /** Returns the member's value; Java {@code null} when there is no such member. */
  public @Nullable JsonValue get(String name) {
    return members.get(name);
  }

  /**
   * Returns the member's value; Java {@code null} when there is no such member or it is JSON null.
   */
  public @Nullable JsonValue present(String name) {
    JsonValue value = members.get(name);
    return value == JsonNull.NULL ? null : value;
  }

  /** Returns the member's text; empty when the member is absent or not a string. */
  public Optional<String> string(String name) {
    return members.get(name) instanceof JsonString text
        ? Optional.of(text.value())
        : Optional.empty();
  }

  /** Returns the member's text; the empty text when the member is absent or not a string. */
  public String text(String name) {
    return members.get(name) instanceof JsonString text ? text.value() : "";
  }

  /** Returns the member's number without its decimals; empty when the member is no number. */
  public Optional<Long> whole(String name) {
    return members.get(name) instanceof JsonNumber(double number, _)
        ? Optional.of((long) number)
        : Optional.empty();
  }

  /** Returns the member's object; empty when the member is absent or not an object. */
  public Optional<JsonObject> object(String name) {
    return members.get(name) instanceof JsonObject object ? Optional.of(object) : Optional.empty();
  }

  /** Returns the member's array; empty when the member is absent or not an array. */
  public Optional<JsonArray> array(String name) {
    return members.get(name) instanceof JsonArray array ? Optional.of(array) : Optional.empty();
  }

  /** Returns the member's object; the empty object when the member is absent or not an object. */
  public JsonObject child(String name) {
    return members.get(name) instanceof JsonObject object ? object : EMPTY;
  }

  /** Returns the member's array; the empty array when the member is absent or not an array. */
  public JsonArray list(String name) {
    return members.get(name) instanceof JsonArray array ? array : JsonArray.EMPTY;
  }

  /** Returns the strings of the member's array; none when the member is not an array. */
  public List<String> texts(String name) {
    return list(name).texts();
  }

  /** Returns the objects of the member's array; none when the member is not an array. */
  public List<JsonObject> objects(String name) {
    return list(name).objects();
  }

  /** Returns whether the member is exactly {@code true}. */
  public boolean isTrue(String name) {
    return members.get(name) == JsonBoolean.TRUE;
  }

  public boolean has(String name) {
    return members.get(name) != null;
  }

  /** Returns the members in their order, for iteration. */
  MemberTable members() {
    return members;
  }

  public Set<String> names() {
    return members.names();
  }

  public int size() {
    return members.size();
  }

  public boolean isEmpty() {
    return members.size() == 0;
  }

  public void forEach(BiConsumer<? super String, ? super JsonValue> action) {
    for (int i = 0; i < members.size(); i++) {
      action.accept(members.name(i), members.value(i));
    }
  }

  /** Returns a copy with the member set (in place when it exists, else last). */
  public JsonObject with(String name, JsonValue value) {
    return toBuilder().put(name, value).build();
  }

  public JsonObject with(String name, String value) {
    return with(name, new JsonString(value));
  }

  /** Returns a copy without the member. */
  public JsonObject without(String name) {
    if (!has(name)) {
      return this;
    }
    Builder rest = builder();
    forEach((kept, value) -> {
      if (!kept.equals(name)) {
        rest.put(kept, value);
      }
    });
    return rest.build();
  }

  /** Returns a copy with only those of the named members that it has, in the order of the names. */
  public JsonObject only(Collection<String> names) {
    Builder some = builder();
    for (String name : names) {
      JsonValue value = get(name);
      if (value != null) {
        some.put(name, value);
      }
    }
    return some.build();
  }

  @Override
  public String typeName() {
    return "object";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other == this || (other instanceof JsonObject object && members.equals(object.members));
  }

  @Override
  public int hashCode() {
    return members.hashCode();
  }

  @Override
  public String toString() {
    return Json.text(this);
  }

  /** Collects members; a name given twice keeps its first place and its last value. */
  public static final class Builder {
    private MemberTable members;

    /** Whether an object uses the map, so that it must not change any more. */
    private boolean built;

    private Builder(MemberTable members) {
      this.members = members;
    }

    public Builder put(String name, JsonValue value) {
      own().put(name, value);
      return this;
    }

    /** Returns the value so far; Java {@code null} when there is none or it is JSON null. */
    public @Nullable JsonValue present(String name) {
      JsonValue value = members.get(name);
      return value == JsonNull.NULL ? null : value;
    }

    /** Adds the member; returns whether the name was new. */
    boolean add(String name, JsonValue value) {
      return own().put(name, value);
    }

    private MemberTable own() {
      if (built) {
        members = members.copy();
        built = false;
      }
      return members;
    }

    public Builder put(String name, String value) {
      return put(name, new JsonString(value));
    }

    public Builder put(String name, boolean value) {
      return put(name, JsonBoolean.of(value));
    }

    public Builder put(String name, double value) {
      return put(name, new JsonNumber(value));
    }

    public Builder putNull(String name) {
      return put(name, JsonNull.NULL);
    }

    public Builder put(String name, long value) {
      return put(name, new JsonNumber((double) value));
    }

    public Builder put(String name, Builder object) {
      return put(name, object.build());
    }

    /** Adds an array of the values in this shape. */
    public <T> Builder put(
        String name, Collection<T> values, Function<? super T, ? extends JsonValue> shape) {
      return put(name, new JsonArray(values.stream().<JsonValue>map(shape).toList()));
    }

    /** Adds the member when there is a value; leaves it out otherwise. */
    public Builder putIfPresent(String name, Optional<String> value) {
      value.ifPresent(text -> put(name, text));
      return this;
    }

    /** Adds the member, with JSON null when there is no value. */
    public Builder putOrNull(String name, Optional<String> value) {
      return put(name, value.<JsonValue>map(JsonString::new).orElse(JsonNull.NULL));
    }

    /** Adds the member, with JSON null when there is no number. */
    public Builder putNumberOrNull(String name, Optional<? extends Number> value) {
      return put(
          name,
          value
              .<JsonValue>map(number -> new JsonNumber(number.doubleValue()))
              .orElse(JsonNull.NULL));
    }

    public Builder putAll(JsonObject other) {
      MemberTable own = own();
      for (int i = 0; i < other.size(); i++) {
        own.put(other.members.name(i), other.members.value(i));
      }
      return this;
    }

    public JsonObject build() {
      built = true;
      return new JsonObject(members);
    }
  }
}
