package dev.safeconduct.gateway.http;

import dev.safeconduct.gateway.rpc.Message;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which arguments of a server's tools are repeated in headers ({@code x-mcp-header}): learned from
 * the tool lists that pass by. Thread-safe.
 */
public final class ToolHeaders {
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Set<String> TYPES = Set.of("string", "integer", "boolean");
  private static final String ANNOTATION = "x-mcp-header";
  private static final String PREFIX = "Mcp-Param-";
  private static final int MAX_TOOLS = 10_000;
  private static final int LONGEST_NUMBER = 40;

  private static final long LIST_EVERY_NANOS = Duration.ofSeconds(5).toNanos();

  private final Map<String, List<Parameter>> tools = new ConcurrentHashMap<>();
  private final AtomicLong askedAt = new AtomicLong(System.nanoTime() - LIST_EVERY_NANOS);

  private record Parameter(List<String> path, String header) {}

  /** Reads the annotations of a result of {@code tools/list}. */
  public void learn(Map<String, @Nullable Object> result) {
    if (!(result.get("tools") instanceof List<?> list)) {
      return;
    }
    for (Object each : list) {
      Map<String, @Nullable Object> tool = Message.objectOrEmpty(each);
      if (tool.get("name") instanceof String name
          && (tools.size() < MAX_TOOLS || tools.containsKey(name))) {
        tools.put(name, read(tool.get("inputSchema")));
      }
    }
  }

  /** Tells whether the caller shall list the tools, because this one is not known. */
  public boolean needsList(String tool) {
    long last = askedAt.get();
    long now = System.nanoTime();
    return !tools.containsKey(tool)
        && now - last >= LIST_EVERY_NANOS
        && askedAt.compareAndSet(last, now);
  }

  /**
   * Returns the headers that a call of the tool may carry, with the arguments that they repeat;
   * null where the call has no such argument.
   */
  public Map<String, @Nullable Object> of(String tool, @Nullable Object arguments) {
    var headers = new LinkedHashMap<String, @Nullable Object>();
    for (Parameter parameter : tools.getOrDefault(tool, List.of())) {
      Object value = arguments;
      for (String step : parameter.path()) {
        value = Message.objectOrEmpty(value).get(step);
      }
      headers.put(PREFIX + parameter.header(), value);
    }
    return headers;
  }

  /** Tells whether a decoded header says the same as the argument; numbers compare as numbers. */
  public static boolean isEqual(String header, Object argument) {
    if (!(argument instanceof Number)) {
      return header.equals(argument.toString());
    }
    try {
      return header.length() <= LONGEST_NUMBER
          && new BigDecimal(header).compareTo(new BigDecimal(argument.toString())) == 0;
    } catch (NumberFormatException _) {
      return false;
    }
  }

  /** Returns no parameters where an annotation breaks a rule: clients do not use such a tool. */
  private static List<Parameter> read(@Nullable Object schema) {
    var found = new ArrayList<Parameter>();
    Set<String> names = new HashSet<>();
    boolean isValid =
        collect(schema, List.of(), found)
            && found.stream().allMatch(each -> names.add(each.header().toLowerCase(Locale.ROOT)));
    return isValid ? List.copyOf(found) : List.of();
  }

  private static boolean collect(
      @Nullable Object schema, List<String> path, List<Parameter> found) {
    Object properties = Message.objectOrEmpty(schema).get("properties");
    for (var entry : Message.objectOrEmpty(properties).entrySet()) {
      Map<String, @Nullable Object> property = Message.objectOrEmpty(entry.getValue());
      var next = new ArrayList<>(path);
      next.add(entry.getKey());
      if (property.containsKey(ANNOTATION)) {
        Optional<String> name = name(property);
        if (name.isEmpty()) {
          return false;
        }
        found.add(new Parameter(List.copyOf(next), name.get()));
      }
      if (!collect(property, next, found)) {
        return false;
      }
    }
    return true;
  }

  private static Optional<String> name(Map<String, @Nullable Object> property) {
    return property.get(ANNOTATION) instanceof String name
            && TOKEN.matcher(name).matches()
            && property.get("type") instanceof String type
            && TYPES.contains(type)
        ? Optional.of(name)
        : Optional.empty();
  }
}
