package dev.safeconduct.http;

import dev.safeconduct.error.Problem;
import dev.safeconduct.text.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * {@code GET /console/assets/{file}}: the console's stylesheet and scripts. A file's name contains
 * its digest, so browsers cache it for a year without revalidation.
 */
public final class AssetEndpoints {
  private static final String FOLDER = "/console/assets/";
  private static final String HTMX = "/META-INF/resources/webjars/htmx.org/2.0.10/dist/htmx.min.js";
  private static final String CODEMIRROR = "/META-INF/resources/webjars/codemirror/5.65.20/";
  private static final String CSS = "text/css; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";

  /**
   * The addresses of the assets that pages use.
   *
   * @param css the console's stylesheet
   * @param script the console's script
   * @param htmx the htmx library
   * @param icon the icon of the browser's tab
   */
  public record Paths(String css, String script, String htmx, String icon) {}

  /** The addresses of the code editor's stylesheet and script. */
  public record Editor(String css, String script) {}

  @SuppressWarnings("ArrayRecordComponent") // written to the response, never compared
  private record Asset(String type, byte[] bytes) {}

  private final Map<String, Asset> assets = new HashMap<>();
  private final Paths paths;
  private final Editor editor;

  public AssetEndpoints() {
    paths =
        new Paths(
            add("console", "css", CSS, "/page/console.css"),
            add("console", "js", SCRIPT, "/page/console.js"),
            add("htmx", "js", SCRIPT, HTMX),
            add("icon", "svg", "image/svg+xml", "/page/icon.svg"));
    editor =
        new Editor(
            add(
                "editor",
                "css",
                CSS,
                CODEMIRROR + "lib/codemirror.css",
                CODEMIRROR + "addon/hint/show-hint.css",
                "/page/editor.css"),
            add(
                "editor",
                "js",
                SCRIPT,
                CODEMIRROR + "lib/codemirror.js",
                CODEMIRROR + "mode/javascript/javascript.js",
                CODEMIRROR + "addon/edit/matchbrackets.js",
                CODEMIRROR + "addon/hint/show-hint.js",
                "/page/editor.js"));
  }

  public Paths paths() {
    return paths;
  }

  /** Returns the code editor, which only the pages that have one load. */
  public Editor editor() {
    return editor;
  }

  public List<Route> routes() {
    return List.of(Route.get(FOLDER + "{file}", Permission.OPEN, this::asset));
  }

  private Response asset(Request request) {
    Asset asset = assets.get(request.pathParam("file"));
    if (asset == null) {
      throw new Problem.NotFound("There is no such file.", "endpoint_not_found", Map.of())
          .toException();
    }
    return Response.bytes(200, asset.type(), asset.bytes())
        .header("Cache-Control", "public, max-age=31536000, immutable");
  }

  /** Adds a file of the resources, one after the other. */
  private String add(String name, String ending, String type, String... resources) {
    var out = new ByteArrayOutputStream();
    for (String resource : resources) {
      try (InputStream in =
          Objects.requireNonNull(AssetEndpoints.class.getResourceAsStream(resource), resource)) {
        in.transferTo(out);
        out.write('\n');
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    byte[] bytes = out.toByteArray();
    String file = name + "-" + Sha256.hex(bytes).substring(0, 16) + "." + ending;
    assets.put(file, new Asset(type, bytes));
    return FOLDER + file;
  }
}
