package dev.safeconduct.documentation;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.page.HtmlPage;
import dev.safeconduct.page.Templates;
import dev.safeconduct.problem.Problem;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /} says what this is; {@code /api/documentation}: the guides and the reference as pages
 * that need no script, and a page to try calls from that does.
 */
public final class DocumentationEndpoints {
  public static final String PATH = "/api/documentation";

  private final Templates templates;
  private final JsonObject contract;

  /** Made for the first reader: a start need not wait for it. */
  private volatile @Nullable Menu menu;

  /**
   * @param contract the OpenAPI document
   */
  public DocumentationEndpoints(Templates templates, JsonObject contract) {
    this.templates = templates;
    this.contract = contract;
  }

  /** What stands beside a page's content: all other pages. */
  public record Menu(List<Guide> guides, List<Section> sections) {
    public Menu {
      guides = List.copyOf(guides);
      sections = List.copyOf(sections);
    }
  }

  /** A guide's page. */
  public record GuidePage(Menu menu, Guide guide) {}

  /** A page of the reference. */
  public record SectionPage(Menu menu, Section section) {}

  public List<Guide> guides() {
    return menu().guides();
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/", Permission.OPEN, _ -> page("documentation/home.jte", menu())),
        Route.get(PATH, Permission.OPEN, _ -> page("documentation/index.jte", menu())),
        Route.get(PATH + "/{page}", Permission.OPEN, this::guide),
        Route.get(PATH + "/reference/{tag}", Permission.OPEN, this::reference),
        Route.get(PATH + "/try", Permission.OPEN, _ -> tryPage()));
  }

  private Menu menu() {
    Menu made = menu;
    if (made == null) {
      made = new Menu(Guide.all(), Reference.sections(contract));
      menu = made;
    }
    return made;
  }

  private Response guide(Request request) {
    String name = request.pathParam("page");
    return menu().guides().stream()
        .filter(guide -> guide.name().equals(name))
        .findFirst()
        .map(guide -> page("documentation/guide.jte", new GuidePage(menu(), guide)))
        .orElseThrow(() -> unknown(name));
  }

  private Response reference(Request request) {
    String tag = request.pathParam("tag");
    return menu().sections().stream()
        .filter(section -> section.name().equals(tag))
        .findFirst()
        .map(section -> page("documentation/section.jte", new SectionPage(menu(), section)))
        .orElseThrow(() -> unknown(tag));
  }

  private Response page(String template, Object model) {
    return HtmlPage.of(200, templates.render(template, model))
        .header("Cache-Control", "public, max-age=300");
  }

  private Response tryPage() {
    return HtmlPage.withScripts(200, templates.render("documentation/try.jte", menu()))
        .header("Cache-Control", "public, max-age=300");
  }

  private static RuntimeException unknown(String page) {
    return new Problem.NotFound(
            "The documentation has no such page; see " + PATH + ".",
            "page_not_found",
            Map.of("page", page))
        .toException();
  }
}
