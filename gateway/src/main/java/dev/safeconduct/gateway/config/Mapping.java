package dev.safeconduct.gateway.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A second question for a tool: which policy decides, and how its context follows from the
 * arguments. In the context, the text {@code $arguments.a.b} is the argument {@code b} in {@code
 * a}, with {@code ?} at the end for one that may be missing; {@code $each} is the current entry of
 * {@link #each}, and {@code $$} begins a text that begins with a dollar sign.
 *
 * @param policy the policy's id
 * @param each an argument that is a list: one question for each of its entries; null for one
 *     question
 * @param context the context's template
 */
public record Mapping(
    String policy, @Nullable String each, Map<String, ? extends @Nullable Object> context) {
  private static final String ARGUMENTS = "$arguments.";
  private static final int MAX_QUESTIONS = 20;

  static Mapping read(Section section) throws ConfigException {
    String policy = section.text("policy");
    if (policy == null || !policy.matches("[A-Za-z0-9._-]{1,200}")) {
      throw new ConfigException(section.path("policy") + " must be the id of a policy.");
    }
    String each = section.text("each");
    if (each != null && !each.startsWith(ARGUMENTS)) {
      throw new ConfigException(section.path("each") + " must begin with " + ARGUMENTS + ".");
    }
    Section context = section.section("context");
    var template = new LinkedHashMap<String, @Nullable Object>();
    for (String name : context.names()) {
      template.put(name, context.any(name));
    }
    section.end();
    return new Mapping(policy, each, template);
  }

  /**
   * Returns the contexts of the questions that a call stands for.
   *
   * @throws IllegalArgumentException if an argument is missing, or has another type or spelling;
   *     the call is then denied
   */
  public List<Map<String, @Nullable Object>> contexts(
      Map<String, ? extends @Nullable Object> arguments) {
    List<?> entries = List.of(Map.of());
    if (each != null) {
      if (!(argument(each, arguments) instanceof List<?> list) || list.isEmpty()) {
        throw new IllegalArgumentException(each + " is not a list with an entry");
      }
      if (list.size() > MAX_QUESTIONS) {
        throw new IllegalArgumentException(each + " has more than " + MAX_QUESTIONS + " entries");
      }
      entries = list;
    }
    var contexts = new ArrayList<Map<String, @Nullable Object>>();
    for (Object entry : entries) {
      contexts.add(object(context, arguments, entry));
    }
    return contexts;
  }

  private static Map<String, @Nullable Object> object(
      Map<?, ?> template,
      Map<String, ? extends @Nullable Object> arguments,
      @Nullable Object entry) {
    var result = new LinkedHashMap<String, @Nullable Object>();
    template.forEach((name, part) -> {
      boolean isOptional = part instanceof String text && text.endsWith("?") && isPath(text);
      Object value = value(part, arguments, entry);
      if (value != null || !isOptional) {
        result.put(String.valueOf(name), value);
      }
    });
    return result;
  }

  private static @Nullable Object value(
      @Nullable Object part,
      Map<String, ? extends @Nullable Object> arguments,
      @Nullable Object entry) {
    return switch (part) {
      case Map<?, ?> map -> object(map, arguments, entry);
      case List<?> list -> list.stream().map(item -> value(item, arguments, entry)).toList();
      case String text when text.equals("$each") -> entry;
      case String text when isPath(text) -> argument(text, arguments);
      case String text when text.startsWith("$$") -> text.substring(1);
      case null, default -> part;
    };
  }

  private static boolean isPath(String text) {
    return text.startsWith(ARGUMENTS);
  }

  private static @Nullable Object argument(
      String path, Map<String, ? extends @Nullable Object> arguments) {
    boolean isOptional = path.endsWith("?");
    String names = path.substring(ARGUMENTS.length(), path.length() - (isOptional ? 1 : 0));
    Object value = arguments;
    for (String name : names.split("\\.", -1)) {
      if (!(value instanceof Map<?, ?> members)) {
        throw new IllegalArgumentException(names + " is not in an object");
      }
      // Some servers match names in any case; they would read what the question does not have.
      for (Object spelled : members.keySet()) {
        if (!spelled.equals(name) && name.equalsIgnoreCase(String.valueOf(spelled))) {
          throw new IllegalArgumentException(names + " is spelled in another case");
        }
      }
      if (!members.containsKey(name) && !isOptional) {
        throw new IllegalArgumentException(names + " is missing");
      }
      value = members.get(name);
      if (value == null) {
        break;
      }
    }
    return value;
  }
}
