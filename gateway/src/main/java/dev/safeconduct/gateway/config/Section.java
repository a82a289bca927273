package dev.safeconduct.gateway.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One mapping of the configuration file. Names that nothing reads are an error. */
public final class Section {
  private final String path;
  private final Map<String, @Nullable Object> members;
  private final Set<String> unread;

  private Section(String path, Map<String, @Nullable Object> members) {
    this.path = path;
    this.members = members;
    this.unread = new TreeSet<>(members.keySet());
  }

  /**
   * Reads a mapping.
   *
   * @param path where it stands, for messages; empty for the whole file
   * @throws ConfigException if the value is not a mapping
   */
  public static Section of(String path, @Nullable Object value) throws ConfigException {
    if (!(value instanceof Map<?, ?> map)) {
      throw new ConfigException((path.isEmpty() ? "The file" : path) + " must be a mapping.");
    }
    var members = new LinkedHashMap<String, @Nullable Object>();
    map.forEach((name, each) -> members.put(String.valueOf(name), each));
    return new Section(path, members);
  }

  /** Returns where the member stands, for messages. */
  public String path(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Returns the names of the members. */
  public Set<String> names() {
    return members.keySet();
  }

  /** Returns any value; null if it is not there. */
  public @Nullable Object any(String name) {
    unread.remove(name);
    return members.get(name);
  }

  /** Returns the text of a scalar; null if it is not there. */
  public @Nullable String text(String name) throws ConfigException {
    return switch (any(name)) {
      case null -> null;
      case Map<?, ?> _, List<?> _ -> throw new ConfigException(path(name) + " must be a text.");
      case Object scalar -> scalar.toString();
    };
  }

  /** Returns one of the values; the first if it is not there. */
  public String oneOf(String name, String... values) throws ConfigException {
    String text = text(name);
    if (text == null) {
      return values[0];
    }
    if (!List.of(values).contains(text)) {
      throw new ConfigException(path(name) + " must be one of " + String.join(", ", values) + ".");
    }
    return text;
  }

  /** Returns a whole number within bounds. */
  public long number(String name, long otherwise, long least, long most) throws ConfigException {
    Object value = any(name);
    if (value == null) {
      return otherwise;
    }
    if (value instanceof Integer || value instanceof Long) {
      long number = ((Number) value).longValue();
      if (least <= number && number <= most) {
        return number;
      }
    }
    throw new ConfigException(
        path(name) + " must be a whole number from " + least + " to " + most + ".");
  }

  /** Returns a truth value. */
  public boolean flag(String name, boolean otherwise) throws ConfigException {
    return switch (any(name)) {
      case null -> otherwise;
      case Boolean flag -> flag;
      default -> throw new ConfigException(path(name) + " must be true or false.");
    };
  }

  /** Returns the texts of a list; empty if it is not there. */
  public List<String> texts(String name) throws ConfigException {
    var texts = new ArrayList<String>();
    for (Object item : list(name)) {
      if (!(item instanceof String text)) {
        throw new ConfigException(path(name) + " must be a list of texts.");
      }
      texts.add(text);
    }
    return texts;
  }

  /** Returns the mappings of a list; empty if it is not there. */
  public List<Section> sections(String name) throws ConfigException {
    var sections = new ArrayList<Section>();
    for (Object item : list(name)) {
      sections.add(of(path(name) + "[" + sections.size() + "]", item));
    }
    return sections;
  }

  private List<? extends @Nullable Object> list(String name) throws ConfigException {
    return switch (any(name)) {
      case null -> List.of();
      case List<?> list -> list;
      default -> throw new ConfigException(path(name) + " must be a list.");
    };
  }

  /** Returns a mapping; an empty one if it is not there. */
  public Section section(String name) throws ConfigException {
    Object value = any(name);
    return of(path(name), value == null ? Map.of() : value);
  }

  /**
   * Ends the reading.
   *
   * @throws ConfigException if the section has a name that nothing read
   */
  public void end() throws ConfigException {
    if (!unread.isEmpty()) {
      throw new ConfigException(
          "Nothing is called " + path(String.join(", ", unread)) + "; see docs/mcp-gateway.md.");
    }
  }
}
