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
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Renders Markdown (CommonMark with tables) as HTML. HTML in the text is escaped. Links between
 * guides lead to their pages; other links into the source tree become plain text, and pictures,
 * which are in the source tree only, their descriptions. The sections between the comments {@code
 * <!-- tabs -->} and {@code <!-- end of tabs -->} become tabs, of which one is open.
 */
final class Markdown {
  private static final String TABS = "<!-- tabs -->";
  private static final String END_OF_TABS = "<!-- end of tabs -->";
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
    Node document = parser.parse(text);
    document.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Image picture) {
            while (picture.getFirstChild() != null) {
              picture.insertBefore(picture.getFirstChild());
            }
            picture.unlink();
          }
        });
    return document;
  }

  String html(Node document) {
    var html = new StringBuilder();
    boolean inTabs = false;
    String before = "";
    for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
      String mark = node instanceof HtmlBlock block ? block.getLiteral() : "";
      if (mark.equals(TABS)) {
        inTabs = true;
        before = "<div class=\"tabs\"><details name=\"tabs\" open>";
      } else if (mark.equals(END_OF_TABS)) {
        inTabs = false;
        html.append("</details></div>\n");
      } else if (inTabs && node instanceof Heading heading) {
        // A browser opens the tab whose hidden content has the id of the address.
        html.append(before)
            .append("<summary>")
            .append(renderer.render(node).replaceFirst(" id=\"[^\"]*\"", ""))
            .append("</summary><div id=\"" + anchor(text(heading)) + "\"></div>");
        before = "</details><details name=\"tabs\">";
      } else {
        html.append(renderer.render(node));
      }
    }
    return html.toString();
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
