package dev.safeconduct.text;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;

/**
 * The templates of {@code src/main/jte}, compiled by the build. Every value is escaped for its
 * context in the page.
 */
public final class Templates {
  private final TemplateEngine engine = TemplateEngine.createPrecompiled(ContentType.Html);

  /**
   * Returns the rendered template.
   *
   * @param name the file below {@code src/main/jte}, for example {@code claim/open.jte}
   * @param model the template's only parameter
   */
  public String render(String name, Object model) {
    var html = new StringOutput(2048);
    engine.render(name, model, html);
    return html.toString();
  }
}
