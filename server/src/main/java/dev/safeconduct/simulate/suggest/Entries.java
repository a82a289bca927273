package dev.safeconduct.simulate.suggest;

import dev.safeconduct.passport.catalog.Narrows;
import dev.safeconduct.passport.template.EntryCover;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The entries of a suggested list, made from what was seen. Paths and commands with much in common
 * become one entry, but never more than the present list covers.
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
