package dev.safeconduct.passport;

import dev.safeconduct.http.EntityTag;
import dev.safeconduct.identity.AssuranceLevel;
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
import java.util.stream.StreamSupport;

/**
 * The public view of a passport: the agent's identity and whether the passport is in force. It
 * never contains limits, contact or metadata. The signature covers the RFC 8785 form of the view
 * without {@code signature}.
 */
final class PublicView {
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

  private final DocumentSigner signer;
  private final InstantSource clock;

  PublicView(DocumentSigner signer, InstantSource clock) {
    this.signer = signer;
    this.clock = clock;
  }

  JsonObject of(Passport passport) {
    return signed(facts(passport, clock.instant()));
  }

  /** Returns the view for callers who may read the passport. */
  JsonObject forOwner(Passport passport) {
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
  JsonObject oap(Passport passport) {
    JsonObject document = passport.document();
    return signed(
        document.only(OAP).toBuilder()
            .put("capabilities", ids(document))
            .put("expired", passport.isExpired(clock.instant()))
            .put("digest", CanonicalJson.digest(document))
            .build());
  }

  /** Returns the version of a view. It changes with the passport, its end and the signing key. */
  EntityTag tag(String view, Passport passport) {
    String end = passport.isExpired(clock.instant()) ? "x" : "";
    return new EntityTag(view + passport.revision() + end + "." + signer.kid());
  }

  /** Returns the view without a signature. */
  static JsonObject facts(Passport passport, Instant now) {
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
            .map(PublicView::id)
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
