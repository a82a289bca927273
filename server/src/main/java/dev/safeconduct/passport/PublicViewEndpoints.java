package dev.safeconduct.passport;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.EntityTag;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.AssuranceLevel;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.text.Words;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;

/**
 * Public passport views, which require no credential: the agent's identity and whether the passport
 * is in force. They never contain limits, contact or metadata. The signature covers the RFC 8785
 * form of the view without {@code signature}.
 */
public final class PublicViewEndpoints {
  private static final List<String> SHOWN =
      Words.list(
          """
          agent_id passport_id name slug status assurance_level capabilities regions framework
          claimed expires_at issuer
          """);
  private static final List<String> FOR_OWNERS = List.of("role", "limits", "mcp", "hooks");

  /** The OAP passport's members without {@code limits}, {@code metadata} and kinship. */
  private static final List<String> OAP =
      Words.list(
          """
          agent_id passport_id kind spec_version owner_id owner_type status assurance_level
          capabilities regions did expires_at never_expires created_at updated_at version issuer
          """);

  private final Passports passports;
  private final String baseUrl;
  private final InstantSource clock;
  private final DocumentSigner signer;

  public PublicViewEndpoints(
      Passports passports, DocumentSigner signer, String baseUrl, InstantSource clock) {
    this.passports = passports;
    this.baseUrl = baseUrl;
    this.clock = clock;
    this.signer = signer;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/.well-known/oap/agents/", Permission.OPEN, this::list),
        Route.get("/api/verify/{agent_id}", new Permission.Open(), this::publicView),
        Route.get(
            "/api/passports/{agent_id}/verify_view",
            new Permission.OptionalCredential(),
            this::verifyView));
  }

  /**
   * Lists active passports with {@code "metadata": {"show_in_gallery": true}}. Unclaimed passports
   * are not listed, because the issuer's choice does not bind the owner.
   */
  private Response list(Request request) {
    ListPage page = ListPage.of(request);
    List<Passport> found = passports.listed(page.after().map(AgentId::new), page.fetch());
    return page.answer("agents", found, passport -> passport.agentId().value(), this::shown)
        .header("Cache-Control", "public, max-age=60");
  }

  private JsonObject shown(Passport passport) {
    return facts(passport, clock.instant())
        .with("passport_url", baseUrl + "/api/verify/" + passport.agentId().value());
  }

  private Response publicView(Request request) {
    boolean oap = wantsOap(request);
    Passport passport = passport(request);
    return oap ? oap(request, passport) : plain(request, passport);
  }

  private Response verifyView(Request request) {
    boolean oap = wantsOap(request);
    Passport passport = passport(request);
    Response answer;
    if (oap) {
      answer = oap(request, passport);
    } else if (mayRead(request.caller(), passport)) {
      answer = answer(request, tag("o", passport), () -> forOwner(passport));
    } else {
      answer = plain(request, passport);
    }
    return answer.header("Vary", "Authorization, X-API-Key");
  }

  private Response plain(Request request, Passport passport) {
    return answer(request, tag("p", passport), () -> plain(passport));
  }

  /** Returns the OAP document, which is the same for all callers, including owners. */
  private Response oap(Request request, Passport passport) {
    return answer(request, tag("d", passport), () -> oap(passport));
  }

  private static boolean wantsOap(Request request) {
    return switch (request.query("format").orElse("json")) {
      case "json" -> false;
      case "oap" -> true;
      default -> throw ProblemException.invalid("format", "format must be json or oap.");
    };
  }

  private Passport passport(Request request) {
    AgentId id = FindPassport.named(request.pathParam("agent_id"));
    return passports.find(id).orElseThrow(() -> NotFoundProblems.passport(id));
  }

  private static boolean mayRead(Caller caller, Passport passport) {
    if (caller instanceof Caller.Anonymous) {
      return false;
    }
    Rights rights = Rights.of(caller);
    return rights.scopes().contains(Scope.READ)
        && rights.sees(passport.owner())
        && rights.reaches(passport.agentId());
  }

  private static Response answer(Request request, EntityTag tag, Supplier<JsonObject> body) {
    boolean known = request.header("If-None-Match").filter(tag::satisfiesIfNoneMatch).isPresent();
    return (known ? Response.empty(304) : Response.json(200, body.get()))
        .header("ETag", tag.header())
        .header("Cache-Control", "no-cache");
  }

  private JsonObject plain(Passport passport) {
    return signed(facts(passport, clock.instant()));
  }

  /** Returns the view for callers who may read the passport. */
  private JsonObject forOwner(Passport passport) {
    return signed(
        JsonObject.builder()
            .putAll(facts(passport, clock.instant()))
            .putAll(passport.document().only(FOR_OWNERS))
            .build());
  }

  /**
   * Returns the public part of a passport in OAP form. {@code limits} is left out instead of empty,
   * because empty limits would mean that the agent is unrestricted.
   */
  private JsonObject oap(Passport passport) {
    JsonObject document = passport.document();
    return signed(
        document.only(OAP).toBuilder()
            .put("capabilities", ids(document))
            .put("expired", passport.isExpired(clock.instant()))
            .put("digest", CanonicalJson.digest(document))
            .build());
  }

  /** Returns the version of a view. It changes with the passport, its end and the signing key. */
  private EntityTag tag(String view, Passport passport) {
    String end = passport.isExpired(clock.instant()) ? "x" : "";
    return new EntityTag(view + passport.revision() + end + "." + signer.kid());
  }

  /** Returns the view without a signature. */
  private static JsonObject facts(Passport passport, Instant now) {
    JsonObject document = passport.document();
    boolean verified =
        document
            .string("assurance_level")
            .flatMap(AssuranceLevel::parse)
            .filter(level -> level != AssuranceLevel.L0)
            .isPresent();
    return JsonObject.builder()
        .putAll(document.only(SHOWN))
        .put("capabilities", ids(document))
        .put("expired", passport.isExpired(now))
        .put("verified", verified)
        .put("updated_at", Objects.requireNonNull(document.get("updated_at")))
        .put("digest", CanonicalJson.digest(document))
        .build();
  }

  /** Returns the capabilities without their parameters, which would reveal the agent's limits. */
  private static JsonArray ids(JsonObject document) {
    JsonArray capabilities = document.list("capabilities");
    return new JsonArray(
        StreamSupport.stream(capabilities.spliterator(), false)
            .map(PublicViewEndpoints::id)
            .flatMap(Optional::stream)
            .<JsonValue>map(id -> JsonObject.of("id", id))
            .toList());
  }

  private static Optional<String> id(JsonValue capability) {
    return switch (capability) {
      case JsonString id -> Optional.of(id.value());
      case JsonObject object -> object.string("id");
      default -> Optional.empty();
    };
  }

  private JsonObject signed(JsonObject view) {
    DocumentSigner key = signer.current();
    JsonObject named = view.with("kid", key.kid());
    return named.with("signature", key.sign(CanonicalJson.bytes(named)));
  }
}
