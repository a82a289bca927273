package dev.safeconduct.site;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.HtmlPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.text.Lazy;
import dev.safeconduct.text.Templates;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The documentation in a browser: {@code /} and {@code /api/documentation} as entry pages, the
 * guides, and one viewer for the OpenAPI document. Only the viewer needs scripts.
 */
public final class DocumentationEndpoints {
  public static final String PATH = "/api/documentation";
  private static final String VIEWER = PATH + "/reference";

  private final Templates templates;
  private final Lazy<Set<String>> tags;
  private final Lazy<Menu> menu = new Lazy<>(() -> new Menu(Guide.all()));

  public DocumentationEndpoints(Templates templates, Contract contract) {
    this.templates = templates;
    this.tags = new Lazy<>(() -> tags(contract.document()));
  }

  private static Set<String> tags(JsonObject contract) {
    return contract.objects("tags").stream()
        .map(tag -> tag.text("name"))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The navigation of every page. */
  public record Menu(List<Guide.Group> groups) {
    public Menu {
      groups = List.copyOf(groups);
    }

    List<Guide> guides() {
      return groups.stream().flatMap(group -> group.guides().stream()).toList();
    }
  }

  /** The page of a guide. */
  public record GuidePage(Menu menu, Guide guide) {}

  public List<Guide> guides() {
    return menu().guides();
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/", Permission.OPEN, _ -> page("documentation/home.jte", menu())),
        Route.get(PATH, Permission.OPEN, _ -> page("documentation/index.jte", menu())),
        Route.get(PATH + "/{page}", Permission.OPEN, this::guide),
        Route.get(VIEWER, Permission.OPEN, _ -> viewer()),
        Route.get(VIEWER + "/{tag}", Permission.OPEN, this::section),
        Route.get(PATH + "/try", Permission.OPEN, _ -> viewer()));
  }

  private Menu menu() {
    return menu.get();
  }

  private Response guide(Request request) {
    String name = request.pathParam("page");
    return guides().stream()
        .filter(guide -> guide.name().equals(name))
        .findFirst()
        .map(guide -> page("documentation/guide.jte", new GuidePage(menu(), guide)))
        .orElseThrow(() -> unknown(name));
  }

  /** The page's script opens the section that the path or the fragment names. */
  private Response viewer() {
    return HtmlPage.withScripts(200, templates.render("documentation/reference.jte", menu()))
        .header("Cache-Control", "public, max-age=300");
  }

  private Response section(Request request) {
    String tag = request.pathParam("tag");
    if (!tags.get().contains(tag)) {
      throw unknown(tag);
    }
    return viewer();
  }

  private Response page(String template, Object model) {
    return HtmlPage.of(200, templates.render(template, model))
        .header("Cache-Control", "public, max-age=300");
  }

  private static RuntimeException unknown(String page) {
    return ProblemException.notFound(
        "The documentation has no such page; see " + PATH + ".",
        "page_not_found",
        Map.of("page", page));
  }
}
