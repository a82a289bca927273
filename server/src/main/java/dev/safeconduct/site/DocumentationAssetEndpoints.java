package dev.safeconduct.site;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.text.Lazy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * The files that the documentation's pages load: the stylesheet, and Swagger UI from its Maven
 * package as the viewer of the API. Nothing is loaded from another site.
 */
public final class DocumentationAssetEndpoints {
  private static final String CSS = "text/css; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String VERSION = "/META-INF/maven/org.webjars/swagger-ui/pom.properties";

  public List<Route> routes() {
    return List.of(
        asset("/assets/documentation.css", CSS, () -> "/page/documentation.css"),
        asset("/assets/reference.js", SCRIPT, () -> "/page/reference.js"),
        asset("/assets/swagger-ui.css", CSS, () -> viewer("swagger-ui.css")),
        asset("/assets/swagger-ui.js", SCRIPT, () -> viewer("swagger-ui-bundle.js")));
  }

  private static Route asset(String path, String type, Supplier<String> resource) {
    var file = new Lazy<>(() -> File.of(resource.get()));
    return Route.get(
        path,
        Permission.OPEN,
        _ ->
            Response.bytes(200, type, file.get().bytes())
                .header("ETag", file.get().tag())
                .header("Cache-Control", "public, max-age=300"));
  }

  @SuppressWarnings("ArrayRecordComponent") // written to the response, never compared
  private record File(byte[] bytes, String tag) {
    static File of(String resource) {
      byte[] bytes = Published.file(resource);
      return new File(bytes, '"' + Integer.toHexString(Arrays.hashCode(bytes)) + '"');
    }
  }

  private static String viewer(String file) {
    return "/META-INF/resources/webjars/swagger-ui/" + version() + "/" + file;
  }

  private static String version() {
    var properties = new Properties();
    try {
      properties.load(new ByteArrayInputStream(Published.file(VERSION)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }
}
