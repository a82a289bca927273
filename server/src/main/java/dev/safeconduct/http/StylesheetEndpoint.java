package dev.safeconduct.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** {@code GET /assets/safeconduct.css}: the common stylesheet of all pages. */
public final class StylesheetEndpoint {
  public static final String PATH = "/assets/safeconduct.css";

  private final byte[] css;
  private final String tag;

  public StylesheetEndpoint() {
    try (InputStream in =
        Objects.requireNonNull(
            StylesheetEndpoint.class.getResourceAsStream("/page/safeconduct.css"))) {
      css = in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    tag = '"' + Integer.toHexString(Arrays.hashCode(css)) + '"';
  }

  public List<Route> routes() {
    return List.of(
        Route.get(
            PATH,
            Permission.OPEN,
            _ ->
                Response.bytes(200, "text/css; charset=utf-8", css)
                    .header("ETag", tag)
                    .header("Cache-Control", "public, max-age=300")));
  }
}
