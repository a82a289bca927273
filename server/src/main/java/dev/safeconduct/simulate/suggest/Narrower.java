package dev.safeconduct.simulate.suggest;

import dev.safeconduct.decision.Reading;
import dev.safeconduct.decision.Readings;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.catalog.FieldType;
import dev.safeconduct.passport.catalog.Narrows;
import dev.safeconduct.passport.catalog.Narrows.Absence;
import dev.safeconduct.passport.catalog.Narrows.Direction;
import dev.safeconduct.passport.template.EntryCover;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Narrows one limit to what was seen, by its description in the catalogue. Limits that only demand
 * or block something stay as they are.
 */
final class Narrower {
  private Narrower() {}

  /**
   * A narrower value, or the present one with the reason why it stays.
   *
   * @param value Java null if the limit stays
   */
  record Proposal(@Nullable JsonValue value, String why) {
    static final Proposal NOTHING = new Proposal(null, "");
  }

  /**
   * Returns the proposal for a limit.
   *
   * @param present the present value; Java null if absent
   * @param source where the evidence is, if the limit has a source
   * @param seen what the evidence shows, if anything
   */
  static Proposal of(
      Field field, @Nullable JsonValue present, Optional<Source> source, Optional<Seen> seen) {
    Narrows narrows = field.narrows();
    if (present == null && narrows.absence() != Absence.ANY) {
      return Proposal.NOTHING;
    }
    Proposal unknown =
        present == null || narrows.direction() != Direction.LESS
            ? Proposal.NOTHING
            : new Proposal(null, "Suggestions do not read from contexts how much of it is needed.");
    return switch (field.type()) {
      case BOOLEAN -> flag(narrows, present);
      case TEXT -> choice(field, present);
      case NUMBER ->
          narrows.direction() == Direction.LESS
              ? seen.map(some -> number(narrows, present, some)).orElse(unknown)
              : Proposal.NOTHING;
      case STRING_LIST, PATH_LIST, DOMAIN_LIST, URL_LIST, RECIPIENT_LIST, CSV_LIST ->
          narrows.direction() == Direction.LESS && source.isPresent() && seen.isPresent()
              ? list(field, present, source.get(), seen.get())
              : unknown;
      case MAP ->
          source.isPresent() && seen.isPresent() && present instanceof JsonObject map
              ? map(field, map, source.get(), seen.get())
              : unknown;
      case OBJECT ->
          source.isPresent() && seen.isPresent() && present instanceof JsonObject object
              ? object(field, object, source.get(), seen.get())
              : unknown;
      case PATH_PATTERN_LIST, OBJECT_LIST -> unknown;
      case FLAG, LEVEL -> Proposal.NOTHING;
    };
  }

  private static Proposal flag(Narrows narrows, @Nullable JsonValue present) {
    JsonValue narrow = JsonBoolean.of(narrows.direction() == Direction.TRUE);
    return present instanceof JsonBoolean
            && narrows.direction() != Direction.SAME
            && !present.equals(narrow)
        ? new Proposal(narrow, "Nothing that was allowed needed it.")
        : Proposal.NOTHING;
  }

  private static Proposal choice(Field field, @Nullable JsonValue present) {
    boolean known = present instanceof JsonString(String text) && field.choices().indexOf(text) > 0;
    return known && field.narrows().direction() == Direction.LESS
        ? new Proposal(
            new JsonString(field.choices().getFirst()), "Nothing that was allowed needed more.")
        : Proposal.NOTHING;
  }

  private static Proposal number(Narrows narrows, @Nullable JsonValue present, Seen seen) {
    JsonValue held = present == null ? narrows.standard().orElse(null) : present;
    if (held != null && !(held instanceof JsonNumber)) {
      return new Proposal(null, "It is not one number.");
    }
    if (seen.most() < 0) {
      return new Proposal(null, "Nothing that was allowed used it.");
    }
    if (held instanceof JsonNumber(double cap, _) && cap <= seen.most()) {
      return Proposal.NOTHING;
    }
    return new Proposal(
        new JsonNumber(seen.most()),
        seen.times() == 1
            ? "Seen once."
            : "The maximum of %d decisions; 99 of 100 were at most about %s."
                .formatted(seen.times(), text(seen.p99())));
  }

  private static String text(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  private static Proposal list(Field field, @Nullable JsonValue value, Source source, Seen seen) {
    Narrows narrows = field.narrows();
    JsonValue present =
        field.type() == FieldType.CSV_LIST
                && value instanceof JsonString
                && Readings.list(JsonObject.EMPTY.with("list", value), "list")
                    instanceof Reading.Present<List<String>>(List<String> parts)
            ? JsonArray.ofStrings(parts)
            : value;
    if (field.type() == FieldType.RECIPIENT_LIST
        && present instanceof JsonArray recipients
        && recipients.elements().stream().anyMatch(JsonObject.class::isInstance)) {
      return recipients(recipients, seen);
    }
    boolean strings =
        present == null
            || (present instanceof JsonArray array
                && array.elements().stream().allMatch(JsonString.class::isInstance));
    if (!strings || !seen.isDescribable()) {
      return new Proposal(
          null,
          strings
              ? "What was allowed cannot be listed entry by entry."
              : "Its entries have limits of their own.");
    }
    if (seen.entries().isEmpty()) {
      return new Proposal(null, "Nothing that was allowed used it.");
    }
    List<String> listed = present instanceof JsonArray array ? array.texts() : List.of("*");
    boolean open = narrows.emptyIsAll() && listed.isEmpty();
    Optional<Entries> entries =
        Entries.of(source.as(), narrows.entries(), seen.entries(), open ? List.of("*") : listed);
    if (entries.isEmpty()) {
      return new Proposal(null, "The present entries do not cover what was seen one by one.");
    }
    List<String> texts = entries.get().texts();
    if (present != null && new HashSet<>(listed).equals(Set.copyOf(texts))) {
      return Proposal.NOTHING;
    }
    var why = new ArrayList<>(entries.get().why());
    why.addFirst(seen.times() == 1 ? "Seen once." : "Seen %d times.".formatted(seen.times()));
    return new Proposal(JsonArray.ofStrings(texts), String.join(" ", why));
  }

  /** Keeps the recipients that were seen, each with its own limits. */
  private static Proposal recipients(JsonArray present, Seen seen) {
    Set<String> used = seen.entries().keySet();
    var known = new HashSet<String>();
    var kept = new ArrayList<JsonValue>();
    for (JsonValue each : present) {
      String id = Candidate.id(each).orElse("");
      known.add(id);
      if (used.contains(id)) {
        kept.add(each);
      }
    }
    if (!seen.isDescribable() || !known.containsAll(used)) {
      return new Proposal(null, "What was allowed cannot be listed entry by entry.");
    }
    return kept.size() == present.size()
        ? Proposal.NOTHING
        : new Proposal(new JsonArray(kept), "The other recipients were not seen.");
  }

  private static Proposal object(Field field, JsonObject present, Source source, Seen seen) {
    JsonObject result = present;
    var why = new ArrayList<String>();
    for (Field member : Set.copyOf(field.members().values())) {
      Proposal proposal = of(field.name(), member, present, source, seen, why);
      if (proposal.value() != null) {
        result = result.with(name(member, present), proposal.value());
      }
    }
    why.sort(null);
    return new Proposal(result.equals(present) ? null : result, String.join(" ", why));
  }

  /** Keeps the keys that were seen where the map is required, and narrows what is below them. */
  private static Proposal map(Field field, JsonObject present, Source source, Seen seen) {
    Map<String, Field> fields = field.values().map(Field::members).orElse(Map.of());
    JsonObject result = present;
    var why = new ArrayList<String>();
    for (String key : present.names()) {
      Seen below = seen.byKey().get(key);
      if (below == null && field.required() && seen.isDescribable()) {
        result = result.without(key);
        why.add(key + " was not seen.");
      } else if (below != null && present.get(key) instanceof JsonObject members) {
        JsonObject narrowed = members;
        for (Field member : Set.copyOf(fields.values())) {
          Proposal proposal = of(key, member, members, source, below, why);
          if (proposal.value() != null) {
            narrowed = narrowed.with(name(member, members), proposal.value());
          }
        }
        result = result.with(key, narrowed);
      }
    }
    why.sort(null);
    return new Proposal(result.equals(present) ? null : result, String.join(" ", why));
  }

  private static Proposal of(
      String key, Field member, JsonObject members, Source source, Seen below, List<String> why) {
    String name = name(member, members);
    Seen seen = below.byKey().get(name);
    Proposal proposal =
        of(
            member,
            members.present(name),
            Optional.ofNullable(source.members().get(member.name())),
            Optional.ofNullable(seen == null ? below.byKey().get(member.name()) : seen));
    boolean kept = members.present(name) != null && !proposal.why().isEmpty();
    if (kept || proposal.value() != null) {
      why.add(key + "." + name + ": " + proposal.why());
    }
    return proposal;
  }

  private static String name(Field field, JsonObject members) {
    return field.aliases().stream()
        .filter(alias -> members.present(alias) != null && members.present(field.name()) == null)
        .findFirst()
        .orElse(field.name());
  }

  /**
   * The entries of a suggested list, made from what was seen. Paths and commands with much in
   * common become one entry, but never more than the present list covers.
   *
   * @param texts sorted
   * @param why one sentence for each entry that stands for more than was seen
   */
  record Entries(List<String> texts, List<String> why) {
    /** From this many files in a directory on, the directory is suggested. */
    private static final int FILES = 3;

    /** From this many subcommands on, the program is suggested. */
    private static final int SUBCOMMANDS = 8;

    /** Longer lists are shortened. */
    private static final int MOST = 50;

    /** What an entry stands for: how often it was seen, and in how many different values. */
    private record Node(long times, long values) {
      Node and(Node other) {
        return new Node(times + other.times, values + other.values);
      }
    }

    /**
     * Returns the entries.
     *
     * @param present the present list; {@code *} alone if there is none
     * @return empty if the present list does not cover them one by one, or they are too many
     */
    static Optional<Entries> of(
        Source.As as, Narrows.Entries kind, Map<String, Long> seen, List<String> present) {
      var nodes = new TreeMap<String, Node>();
      seen.forEach((entry, times) -> nodes.put(entry, new Node(times, 1)));
      if (as == Source.As.PATH) {
        merge(nodes, FILES, kind, present);
        for (int depth = deepest(nodes); nodes.size() > MOST && depth > 1; depth--) {
          mergeAt(nodes, depth, kind, present);
        }
      } else if (as == Source.As.COMMAND) {
        mergeCommands(nodes, kind, present);
      }
      boolean covered =
          nodes.keySet().stream().allMatch(entry -> EntryCover.covers(kind, present, entry));
      if (!covered || nodes.size() > Seen.MOST_ENTRIES) {
        return Optional.empty();
      }
      var why = new ArrayList<String>();
      nodes.forEach((entry, node) -> {
        if (node.values() > 1) {
          why.add(
              "%s stands for %d %s, seen %d times."
                  .formatted(
                      entry,
                      node.values(),
                      as == Source.As.PATH ? "paths" : "subcommands",
                      node.times()));
        }
      });
      return Optional.of(new Entries(List.copyOf(nodes.keySet()), List.copyOf(why)));
    }

    /** Merges the values of each directory with enough of them, the deepest first. */
    private static void merge(
        TreeMap<String, Node> nodes, int least, Narrows.Entries kind, List<String> present) {
      var children = new HashMap<String, Integer>();
      nodes.keySet().forEach(path -> children.merge(parent(path), 1, Integer::sum));
      children.entrySet().stream()
          .filter(each -> each.getValue() >= least)
          .map(Map.Entry::getKey)
          .sorted(Comparator.comparingInt(String::length).reversed().thenComparing(path -> path))
          .forEach(directory -> mergeBelow(nodes, directory, kind, present));
    }

    private static void mergeAt(
        TreeMap<String, Node> nodes, int depth, Narrows.Entries kind, List<String> present) {
      var parents = new TreeSet<String>();
      for (String path : nodes.keySet()) {
        if (depth(path) == depth) {
          parents.add(parent(path));
        }
      }
      parents.forEach(directory -> mergeBelow(nodes, directory, kind, present));
    }

    private static void mergeBelow(
        TreeMap<String, Node> nodes, String directory, Narrows.Entries kind, List<String> present) {
      if (directory.isEmpty() || !EntryCover.covers(kind, present, directory)) {
        return;
      }
      Node all = nodes.getOrDefault(directory, new Node(0, 0));
      var below = nodes.subMap(directory + "/", directory + "0"); // "0" follows "/"
      for (Node each : below.values()) {
        all = all.and(each);
      }
      below.clear();
      nodes.put(directory, all);
    }

    private static void mergeCommands(
        TreeMap<String, Node> nodes, Narrows.Entries kind, List<String> present) {
      var programs = new HashMap<String, List<String>>();
      for (String entry : nodes.keySet()) {
        int space = entry.indexOf(' ');
        String program = space < 0 ? entry : entry.substring(0, space);
        programs.computeIfAbsent(program, _ -> new ArrayList<>()).add(entry);
      }
      programs.forEach((program, entries) -> {
        boolean bare = entries.contains(program) && entries.size() > 1;
        if ((bare || entries.size() >= SUBCOMMANDS) && EntryCover.covers(kind, present, program)) {
          Node all = new Node(0, 0);
          for (String entry : entries) {
            all = all.and(nodes.getOrDefault(entry, new Node(0, 0)));
            nodes.remove(entry);
          }
          nodes.put(program, all);
        }
      });
    }

    private static int deepest(TreeMap<String, Node> nodes) {
      return nodes.keySet().stream().mapToInt(Entries::depth).max().orElse(0);
    }

    private static int depth(String path) {
      return (int) path.chars().filter(c -> c == '/').count();
    }

    private static String parent(String path) {
      return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }
  }
}
