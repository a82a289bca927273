package dev.safeconduct.site;

import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.text.Lazy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Text documents for agents, crawlers and security researchers: {@code /auth.md}, {@code /api.md},
 * {@code /llms.txt}, {@code /robots.txt}, {@code /.well-known/security.txt}, and the link set (RFC
 * 9264) of the service's APIs in {@code /.well-known/api-catalog} (RFC 9727).
 */
public final class TextDocumentEndpoints {
  private static final String MARKDOWN = "text/markdown; charset=utf-8";
  private static final String LINK_SET =
      "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
  private static final String CATALOG = "/.well-known/api-catalog";
  private static final String PLAIN = "text/plain; charset=utf-8";

  /** RFC 9116 section 2.5.5 asks for less than a year. */
  private static final Duration SECURITY_TEXT_VALID = Duration.ofDays(90);

  private final Published published;
  private final Contract contract;
  private final Supplier<List<Guide>> guides;
  private final Optional<URI> securityContact;
  private final InstantSource clock;

  /**
   * @param guides called when {@code /llms.txt} is read
   * @param securityContact where to report vulnerabilities; by default a page of the documentation
   */
  public TextDocumentEndpoints(
      Published published,
      Contract contract,
      Supplier<List<Guide>> guides,
      Optional<URI> securityContact,
      InstantSource clock) {
    this.published = published;
    this.contract = contract;
    this.guides = guides;
    this.securityContact = securityContact;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        document("/auth.md", MARKDOWN, () -> published.text("auth.md")),
        document(
            "/api.md",
            MARKDOWN,
            () -> published.text("api.md").replace("{operations}", contract.operations())),
        Route.get("/llms.txt", Permission.OPEN, _ -> answer(PLAIN, llmsText())),
        document(
            "/api/schema/resources",
            "application/schema+json",
            () -> published.text("resources.schema.json")),
        Route.get(
            CATALOG,
            Permission.OPEN,
            _ ->
                answer(LINK_SET, published.text("api-catalog.json")).header("Link", catalogLink())),
        document("/robots.txt", PLAIN, () -> published.text("robots.txt")),
        Route.get(
            "/.well-known/security.txt", Permission.OPEN, _ -> answer(PLAIN, securityText())));
  }

  /** RFC 9727 section 2: a {@code HEAD} too names the catalogue in {@code Link}. */
  private String catalogLink() {
    return "<" + published.baseUrl() + CATALOG + ">; rel=\"api-catalog\"";
  }

  private String llmsText() {
    return published.text("llms.txt").replace("{guides}", guideList());
  }

  private String guideList() {
    var list = new StringBuilder();
    for (Guide guide : guides.get()) {
      list.append("- [").append(guide.title()).append("](").append(published.baseUrl());
      list.append(DocumentationEndpoints.PATH).append('/').append(guide.name()).append(")\n");
    }
    return list.toString().strip();
  }

  /** Returns the security.txt document of RFC 9116. */
  private String securityText() {
    Instant today = clock.instant().truncatedTo(ChronoUnit.DAYS);
    return "Contact: "
        + securityContact
            .map(URI::toString)
            .orElse(published.baseUrl() + "/api/documentation/security")
        + "\nExpires: "
        + today.plus(SECURITY_TEXT_VALID)
        + "\nPreferred-Languages: en\nCanonical: "
        + published.baseUrl()
        + "/.well-known/security.txt\nPolicy: "
        + published.baseUrl()
        + "/api/documentation/security\n";
  }

  private static Route document(String path, String type, Supplier<String> maker) {
    var text = new Lazy<>(maker);
    return Route.get(path, Permission.OPEN, _ -> answer(type, text.get()));
  }

  private static Response answer(String type, String text) {
    return Response.bytes(200, type, text.getBytes(StandardCharsets.UTF_8))
        .header("Cache-Control", "public, max-age=300");
  }
}
