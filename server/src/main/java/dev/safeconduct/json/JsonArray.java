package dev.safeconduct.json;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** A JSON array; its elements in order. */
public record JsonArray(List<JsonValue> elements) implements JsonValue, Iterable<JsonValue> {
  public static final JsonArray EMPTY = new JsonArray(List.of());

  public JsonArray {
    elements = List.copyOf(elements);
  }

  public static JsonArray of(JsonValue... elements) {
    return new JsonArray(Arrays.asList(elements));
  }

  public static JsonArray ofStrings(Iterable<String> texts) {
    var list = new ArrayList<JsonValue>();
    for (String text : texts) {
      list.add(new JsonString(text));
    }
    return new JsonArray(list);
  }

  public int size() {
    return elements.size();
  }

  public boolean isEmpty() {
    return elements.isEmpty();
  }

  public JsonValue get(int index) {
    return elements.get(index);
  }

  /** Returns the elements that are strings; others are skipped. */
  public Stream<String> strings() {
    return elements.stream()
        .filter(JsonString.class::isInstance)
        .map(element -> ((JsonString) element).value());
  }

  /** Returns {@link #strings} as a list. */
  public List<String> texts() {
    var texts = new ArrayList<String>(elements.size());
    for (JsonValue element : elements) {
      if (element instanceof JsonString text) {
        texts.add(text.value());
      }
    }
    return Collections.unmodifiableList(texts);
  }

  /** Returns the elements that are objects; others are skipped. */
  public List<JsonObject> objects() {
    return elements.stream()
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .toList();
  }

  @Override
  public Iterator<JsonValue> iterator() {
    return elements.iterator();
  }

  @Override
  public String typeName() {
    return "array";
  }
}
