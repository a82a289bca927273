package dev.safeconduct.policy.hosted;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Writes organizations' packs and their versions as JSON for responses. */
final class PackJson {
  private PackJson() {}

  static JsonObject pack(HostedPack pack, List<PackNodes.ActiveOn> nodes) {
    return JsonObject.builder()
        .put("policy_id", pack.id().value())
        .put("org_id", pack.org().value())
        .put("name", pack.active().orElse(pack.latest()).name())
        .put("status", pack.status())
        .put("active_version", number(pack.active()))
        .put("active_digest", digest(pack.active()))
        .put("shadow_version", number(pack.shadow()))
        .put("shadow_digest", digest(pack.shadow()))
        .put("shadow_since", time(pack.shadowSince()))
        .put("latest_version", pack.latest().number())
        .put("latest_digest", pack.latest().digest())
        .put("created_at", IsoInstant.millis(pack.createdAt()))
        .put("changed_at", IsoInstant.millis(pack.changedAt()))
        .put(
            "active_on",
            new JsonArray(
                nodes.stream()
                    .filter(node -> node.id().equals(pack.id()))
                    .<JsonValue>map(PackJson::node)
                    .toList()))
        .build();
  }

  private static JsonObject node(PackNodes.ActiveOn node) {
    return JsonObject.builder()
        .put("node", node.node())
        .put("policy_digest", text(node.digest()))
        .put("since", node.digest().isPresent() ? time(node.since()) : JsonNull.NULL)
        .put("seen_at", IsoInstant.millis(node.seenAt()))
        .build();
  }

  static JsonObject version(HostedPack pack, PackVersion version) {
    return JsonObject.builder()
        .put("policy_id", pack.id().value())
        .put("version", version.number())
        .put("name", version.name())
        .put("pack_version", version.label())
        .put("policy_digest", version.digest())
        .put("status", status(pack, version))
        .put("created_at", IsoInstant.millis(version.createdAt()))
        .put("created_by", version.createdBy())
        .put("deprecated_at", time(version.deprecatedAt()))
        .build();
  }

  private static String status(HostedPack pack, PackVersion version) {
    if (version.deprecatedAt().isPresent()) {
      return "deprecated";
    }
    if (is(pack.active(), version)) {
      return "active";
    }
    return is(pack.shadow(), version) ? "shadow" : "published";
  }

  private static boolean is(Optional<PackVersion> one, PackVersion other) {
    return one.filter(version -> version.number() == other.number()).isPresent();
  }

  private static JsonValue number(Optional<PackVersion> version) {
    return version.<JsonValue>map(v -> new JsonNumber(v.number())).orElse(JsonNull.NULL);
  }

  private static JsonValue digest(Optional<PackVersion> version) {
    return text(version.map(PackVersion::digest));
  }

  private static JsonValue text(Optional<String> text) {
    return text.<JsonValue>map(JsonString::new).orElse(JsonNull.NULL);
  }

  private static JsonValue time(Optional<Instant> time) {
    return text(time.map(IsoInstant::millis));
  }
}
