package dev.safeconduct.site;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Renders Markdown (CommonMark with tables) as HTML. HTML in the text is escaped. Links between
 * guides lead to their pages; other links into the source tree become plain text.
 */
final class Markdown {
  private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());

  private final Parser parser = Parser.builder().extensions(EXTENSIONS).build();
  private final HtmlRenderer renderer;

  /**
   * @param guides the names of the guides, without folder and {@code .md}
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

  String html(Node node) {
    return renderer.render(node);
  }

  /** Returns the text of a node without markup. */
  static String text(Node node) {
    var text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(SoftLineBreak part) {
            text.append(' ');
          }
        });
    return text.toString();
  }

  private static void adapt(Node node, Map<String, String> attributes, Set<String> guides) {
    if (node instanceof Heading heading) {
      attributes.put("id", anchor(text(heading)));
    }
    if (node instanceof Link link) {
      redirect(link.getDestination(), attributes, guides);
    }
  }

  /**
   * Returns the anchor of a heading as code hosts build it: lower-case letters, digits and hyphens.
   */
  private static String anchor(String title) {
    return title
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{Alnum} _-]", "")
        .strip()
        .replace(' ', '-');
  }

  private static void redirect(String to, Map<String, String> attributes, Set<String> guides) {
    if (to.startsWith("#") || to.startsWith("/") || to.startsWith("https://")) {
      return;
    }
    int hash = to.indexOf('#');
    String file = hash < 0 ? to : to.substring(0, hash);
    String name = file.substring(file.lastIndexOf('/') + 1).replaceFirst("\\.md$", "");
    if (file.endsWith(".md") && guides.contains(name)) {
      attributes.put(
          "href", DocumentationEndpoints.PATH + "/" + name + (hash < 0 ? "" : to.substring(hash)));
    } else {
      attributes.remove("href");
    }
  }
}
