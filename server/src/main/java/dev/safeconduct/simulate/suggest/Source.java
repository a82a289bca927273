package dev.safeconduct.simulate.suggest;

import dev.safeconduct.audit.Redaction;
import dev.safeconduct.config.ReleaseFile;
import dev.safeconduct.decision.shell.StartedPrograms;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the evidence for one limit is in a context ({@code suggest.json}).
 *
 * @param as how the limit spells what the context holds
 * @param from the fields of the context, aliases included, of which a command's own name is first
 * @param absent what the pack takes for an absent field, if anything
 * @param key the field with the key of a map of limits; empty for other limits
 * @param members the limits below a key of the map, or those of an object that has no keys
 * @param lifetime when less of the limit would allow more
 * @param only the values that fields have, or lack, in contexts that the limit is for
 */
record Source(
    As as,
    List<String> from,
    Optional<String> absent,
    String key,
    Map<String, Source> members,
    Optional<Lifetime> lifetime,
    JsonObject only) {
  /** A passport takes no longer entry in a list. */
  private static final int MOST_LENGTH = 4_096;

  private static final Optional<Double> NONE = Optional.empty();

  private static final Pattern SUBCOMMAND = Pattern.compile("[a-z][a-z0-9-]*");
  private static final Pattern PLAIN_PATH = Pattern.compile("(/[A-Za-z0-9_.~@+,=: -]+)+/?");
  private static final Pattern PLAIN_HOST = Pattern.compile("[a-z0-9_.-]+");

  /**
   * A limit is also how long a counted action counts.
   *
   * @param without the limit that says so in its place
   * @param under the caps of the counters
   */
  record Lifetime(String without, List<String> under) {
    /** Returns the cap that would let more actions in if the limit were less. */
    Optional<String> frees(JsonObject limits) {
      return limits.present(without) != null
          ? Optional.empty()
          : under.stream().filter(cap -> limits.present(cap) != null).findFirst();
    }
  }

  /** The spelling of a limit; numbers come last. */
  enum As {
    /** The text itself. */
    TEXT,
    /** The parts of a text between hyphens. */
    PARTS,
    COMMAND,
    /** A file or a directory; an entry stands for everything below it. */
    PATH,
    EXTENSION,
    HOST,
    /** Those names of headers for which the present list has an entry. */
    HEADERS,
    NUMBER,
    /** A whole number that must be less than the limit. */
    BELOW,
    /** The seconds since a time. */
    AGE,
    /** The length as compact JSON. */
    BYTES,
    /** The number of elements. */
    SIZE
  }

  /** Returns the sources of every built-in pack's limits, by pack and limit. */
  static Map<String, Map<String, Source>> all() {
    var all = new HashMap<String, Map<String, Source>>();
    ReleaseFile.read("suggest.json")
        .forEach((pack, limits) -> all.put(pack, readAll((JsonObject) limits)));
    return all;
  }

  private static Map<String, Source> readAll(JsonObject json) {
    var sources = new HashMap<String, Source>();
    json.forEach((limit, value) -> {
      JsonObject source = (JsonObject) value;
      sources.put(
          limit,
          new Source(
              source
                  .string("as")
                  .map(as -> As.valueOf(as.toUpperCase(Locale.ROOT)))
                  .orElse(As.TEXT),
              source.texts("from"),
              source.string("absent"),
              source.text("key"),
              readAll(source.child("members")),
              source
                  .object("lifetime")
                  .map(lifetime ->
                      new Lifetime(
                          lifetime.string("without").orElseThrow(),
                          lifetime.array("under").orElseThrow().texts())),
              source.child("only")));
    });
    return sources;
  }

  boolean isNumber() {
    return as.compareTo(As.NUMBER) >= 0;
  }

  /** Returns a field of the context, or a member of it after a dot; Java null if absent. */
  private static @Nullable JsonValue at(JsonObject context, String name) {
    int dot = name.indexOf('.');
    return dot < 0
        ? context.present(name)
        : context
            .object(name.substring(0, dot))
            .map(object -> object.present(name.substring(dot + 1)))
            .orElse(null);
  }

  /** Returns the greatest number of the fields; empty if there is none. */
  Optional<Double> number(JsonObject context, Instant now) {
    boolean concerned =
        only.names().stream()
            .allMatch(name ->
                context.present(name) == null || Objects.equals(only.get(name), context.get(name)));
    return concerned
        ? from.stream()
            .map(name -> at(context, name))
            .filter(Objects::nonNull)
            .flatMap(value -> number(value, now).stream())
            .max(Double::compare)
        : Optional.empty();
  }

  private Optional<Double> number(JsonValue value, Instant now) {
    return switch (as) {
      case NUMBER -> value instanceof JsonNumber(double number, _) ? Optional.of(number) : NONE;
      case BELOW -> value instanceof JsonNumber(double number, _) ? Optional.of(number + 1) : NONE;
      case AGE ->
          value instanceof JsonString(String time)
              ? IsoInstant.parse(time).map(then -> seconds(then, now))
              : NONE;
      case BYTES -> Optional.of((double) Json.bytes(value).length);
      case SIZE -> value instanceof JsonArray array ? Optional.of((double) array.size()) : NONE;
      default -> NONE;
    };
  }

  private static double seconds(Instant then, Instant now) {
    return Math.max(0, Math.ceil(Duration.between(then, now).toMillis() / 1000.0));
  }

  /**
   * Returns the entries of a list that admit the context.
   *
   * @param present the entries of the present list
   * @return empty if no list of entries describes it
   */
  Optional<List<String>> entries(JsonObject context, List<String> present) {
    return described(context, present)
        .filter(entries -> entries.stream().allMatch(entry -> entry.length() <= MOST_LENGTH));
  }

  private Optional<List<String>> described(JsonObject context, List<String> present) {
    if (as == As.COMMAND) {
      return commands(context, present);
    }
    if (as == As.HEADERS) {
      return Optional.of(headers(context, present));
    }
    var entries = new ArrayList<String>();
    for (String text : texts(context)) {
      Optional<List<String>> some = entries(text);
      if (some.isEmpty() || text.contains("*") || text.contains(Redaction.MARK)) {
        return Optional.empty();
      }
      entries.addAll(some.get());
    }
    return Optional.of(entries);
  }

  private List<String> headers(JsonObject context, List<String> present) {
    Set<String> sent =
        from.stream()
            .flatMap(name -> context.object(name).stream())
            .flatMap(headers -> headers.names().stream())
            .map(Source::header)
            .collect(Collectors.toUnmodifiableSet());
    return present.stream().filter(entry -> sent.contains(header(entry))).toList();
  }

  /** Returns a header's name as the pack compares it. */
  private static String header(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private List<String> texts(JsonObject context) {
    List<String> texts =
        from.stream()
            .flatMap(name ->
                switch (context.present(name)) {
                  case JsonString(String text) -> Stream.of(text);
                  case JsonArray array -> array.strings();
                  case null, default -> Stream.empty();
                })
            .distinct()
            .toList();
    return texts.isEmpty() ? absent.stream().toList() : texts;
  }

  private Optional<List<String>> entries(String text) {
    return switch (as) {
      case PARTS -> Optional.of(List.of(text.split("-", -1)));
      case PATH -> path(text).map(List::of);
      case EXTENSION -> {
        int dot = text.lastIndexOf('.');
        boolean has = dot > text.lastIndexOf('/');
        yield Optional.of(List.of(has ? text.substring(dot).toLowerCase(Locale.ROOT) : ""));
      }
      case HOST -> host(text).map(List::of);
      default -> Optional.of(List.of(text));
    };
  }

  /** Returns an absolute path in its shortest form; other paths have no entry of their own. */
  private static Optional<String> path(String text) {
    boolean plain =
        PLAIN_PATH.matcher(text).matches()
            && !(text + "/").contains("/./")
            && !(text + "/").contains("/../");
    return plain
        ? Optional.of(text.endsWith("/") ? text.substring(0, text.length() - 1) : text)
        : Optional.empty();
  }

  private static Optional<String> host(String text) {
    try {
      return Optional.ofNullable(new URI(text).getHost())
          .map(host -> host.toLowerCase(Locale.ROOT))
          .filter(host -> PLAIN_HOST.matcher(host).matches());
    } catch (URISyntaxException _) {
      return Optional.empty();
    }
  }

  /** A program with its subcommand, or the longest present entry that names more of the line. */
  private Optional<List<String>> commands(JsonObject context, List<String> present) {
    JsonObject named =
        from.stream()
            .map(context::present)
            .filter(Objects::nonNull)
            .findFirst()
            .map(command -> context.with(from.getFirst(), command))
            .orElse(context);
    Optional<List<List<String>>> programs = StartedPrograms.of(named);
    if (programs.isEmpty()) {
      return Optional.empty();
    }
    var entries = new ArrayList<String>();
    for (List<String> words : programs.get()) {
      boolean sub = words.size() > 1 && SUBCOMMAND.matcher(words.get(1)).matches();
      String entry = sub ? words.getFirst() + " " + words.get(1) : words.getFirst();
      String line = String.join(" ", words) + " ";
      for (String each : present) {
        entry = each.length() > entry.length() && line.startsWith(each + " ") ? each : entry;
      }
      if (entry.equals("*") || entry.contains(Redaction.MARK)) {
        return Optional.empty();
      }
      entries.add(entry);
    }
    return Optional.of(entries);
  }

  /** Returns the value of the key field; empty if the context has none. */
  Optional<String> keyOf(JsonObject context) {
    JsonValue value = context.present(key);
    return value instanceof JsonString(String text) ? Optional.of(text) : Optional.empty();
  }
}
