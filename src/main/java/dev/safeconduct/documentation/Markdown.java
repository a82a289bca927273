package dev.safeconduct.documentation;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Markdown (CommonMark with tables) as HTML. Markup within it is shown, not obeyed; links between
 * guides lead to their pages, and other links that only mean something in the source tree lead
 * nowhere.
 */
final class Markdown {
  private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());

  private final Parser parser = Parser.builder().extensions(EXTENSIONS).build();
  private final HtmlRenderer renderer;

  /**
   * @param guides the names of the guides, without {@code .md}
   */
  Markdown(Set<String> guides) {
    this.renderer =
        HtmlRenderer.builder()
            .extensions(EXTENSIONS)
            .escapeHtml(true)
            .sanitizeUrls(true)
            .attributeProviderFactory(_ -> (node, _, attributes) -> adapt(node, attributes, guides))
            .build();
  }

  Node parse(String text) {
    return parser.parse(text);
  }

  String html(String text) {
    return html(parse(text));
  }

  String html(Node node) {
    return renderer.render(node);
  }

  private static void adapt(Node node, Map<String, String> attributes, Set<String> guides) {
    if (node instanceof Heading heading) {
      attributes.put("id", anchor(PlainText.of(heading)));
    }
    if (node instanceof Link link) {
      lead(link.getDestination(), attributes, guides);
    }
  }

  /** As on the code hosts people read these files at: small letters, digits and hyphens. */
  private static String anchor(String title) {
    return title
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{Alnum} _-]", "")
        .strip()
        .replace(' ', '-');
  }

  private static void lead(String to, Map<String, String> attributes, Set<String> guides) {
    if (to.startsWith("#") || to.startsWith("/") || to.startsWith("https://")) {
      return;
    }
    int hash = to.indexOf('#');
    String file = hash < 0 ? to : to.substring(0, hash);
    String name = file.endsWith(".md") ? file.substring(0, file.length() - 3) : "";
    if (guides.contains(name)) {
      attributes.put(
          "href", DocumentationEndpoints.PATH + "/" + name + (hash < 0 ? "" : to.substring(hash)));
    } else {
      attributes.remove("href");
    }
  }
}
