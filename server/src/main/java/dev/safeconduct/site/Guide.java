package dev.safeconduct.site;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;

/**
 * A file of {@code docs/} as a page.
 *
 * @param name its name in the URL: the file name without folder and {@code .md}
 * @param title its first heading
 * @param lead its first paragraph, as text
 * @param html the whole file
 */
public record Guide(String name, String title, String lead, String html) {
  private static final String GROUP = "# ";

  /** Guides under one heading of {@code docs/contents.txt}. */
  public record Group(String title, List<Guide> guides) {
    public Group {
      guides = List.copyOf(guides);
    }
  }

  /**
   * Returns the guides that {@code docs/contents.txt} lists: a heading after {@code #}, then one
   * file name a line, without {@code .md}.
   */
  static List<Group> all() {
    Map<String, List<String>> files = contents();
    Set<String> names =
        files.values().stream()
            .flatMap(List::stream)
            .map(Guide::name)
            .collect(Collectors.toUnmodifiableSet());
    var markdown = new Markdown(names);
    var groups = new ArrayList<Group>();
    files.forEach((title, listed) ->
        groups.add(new Group(title, listed.stream().map(file -> read(file, markdown)).toList())));
    return List.copyOf(groups);
  }

  private static Map<String, List<String>> contents() {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    List<String> group = new ArrayList<>();
    for (String line : text("contents.txt").lines().filter(each -> !each.isBlank()).toList()) {
      if (line.startsWith(GROUP)) {
        group = new ArrayList<>();
        groups.put(line.substring(GROUP.length()), group);
      } else {
        group.add(line);
      }
    }
    return groups;
  }

  private static Guide read(String file, Markdown markdown) {
    Node document = markdown.parse(text(file + ".md"));
    return new Guide(
        name(file),
        Markdown.text(first(document, Heading.class, file)),
        Markdown.text(first(document, Paragraph.class, file)),
        markdown.html(document));
  }

  private static String name(String file) {
    return file.substring(file.lastIndexOf('/') + 1);
  }

  private static Node first(Node document, Class<? extends Node> kind, String file) {
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      if (kind.isInstance(node)) {
        return node;
      }
    }
    throw new IllegalStateException("docs/" + file + ".md has no " + kind.getSimpleName());
  }

  private static String text(String file) {
    return new String(Published.file("/docs/" + file), StandardCharsets.UTF_8);
  }
}
