package dev.safeconduct.documentation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;

/**
 * A file of {@code docs/} as a page.
 *
 * @param name in its address: the file's without {@code .md}
 * @param title its first heading
 * @param lead its first paragraph, as text
 * @param html all of it
 */
public record Guide(String name, String title, String lead, String html) {
  private static final String FOLDER = "/docs/";

  /** The guides in the order of {@code docs/contents.txt}. */
  static List<Guide> all() {
    var names = new LinkedHashSet<String>();
    for (String line : read("contents.txt").split("\n", -1)) {
      if (!line.isBlank()) {
        names.add(line.strip());
      }
    }
    var markdown = new Markdown(names);
    var guides = new ArrayList<Guide>();
    for (String name : names) {
      Node document = markdown.parse(read(name + ".md"));
      guides.add(
          new Guide(
              name,
              PlainText.of(first(document, Heading.class, name)),
              PlainText.of(first(document, Paragraph.class, name)),
              markdown.html(document)));
    }
    return List.copyOf(guides);
  }

  private static Node first(Node document, Class<? extends Node> kind, String name) {
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      if (kind.isInstance(node)) {
        return node;
      }
    }
    throw new IllegalStateException("docs/" + name + ".md has no " + kind.getSimpleName());
  }

  private static String read(String file) {
    try (InputStream in = Guide.class.getResourceAsStream(FOLDER + file)) {
      if (in == null) {
        throw new IllegalStateException(FOLDER + file + " is missing from the program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
