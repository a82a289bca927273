package dev.safeconduct.policy.hosted;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/** {@code /api/orgs/{org_id}/policies}: manages an organization's own packs and checks any pack. */
public final class HostedPolicyEndpoints {
  /**
   * The permission to change packs. Changing a pack changes the permissions of every agent, so API
   * keys cannot do it.
   */
  public static final Permission ADMINISTRATOR = Permission.ADMINISTRATOR;

  private static final String PACKS = "/api/orgs/{org_id}/policies";
  public static final String PACK = PACKS + "/{policy_id}";

  private final HostedPacks packs;
  private final PackNodes nodes;
  private final Directory directory;
  private final PublishPack publish;
  private final UsePack use;
  private final InstantSource clock;

  public HostedPolicyEndpoints(
      HostedPacks packs,
      PackNodes nodes,
      Directory directory,
      PublishPack publish,
      UsePack use,
      InstantSource clock) {
    this.packs = packs;
    this.nodes = nodes;
    this.directory = directory;
    this.publish = publish;
    this.use = use;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/api/policies/validate", new Permission.Scoped(Scope.READ), this::validate)
            .deploy(),
        Route.get(PACKS, ADMINISTRATOR, this::list).deploy(),
        Route.post(PACKS, ADMINISTRATOR, this::create).deploy(),
        Route.get(PACK, ADMINISTRATOR, this::read).deploy(),
        Route.put(PACK, ADMINISTRATOR, this::add).deploy(),
        Route.get(PACK + "/versions", ADMINISTRATOR, this::versions).deploy(),
        Route.get(PACK + "/versions/{version}", ADMINISTRATOR, this::version).deploy(),
        Route.post(PACK + "/activate", ADMINISTRATOR, this::activate).deploy(),
        Route.post(PACK + "/deprecate", ADMINISTRATOR, this::deprecate),
        Route.post(PACK + "/shadow", ADMINISTRATOR, this::shadow),
        Route.delete(PACK + "/shadow", ADMINISTRATOR, this::stopShadow));
  }

  private Response validate(Request request) {
    Rights.of(request.caller()).demandUnbound();
    PolicyPack pack = publish.check(document(request.json()));
    return Response.json(
        JsonObject.builder()
            .put("ok", true)
            .put("policy_id", pack.id().value())
            .put("policy_digest", pack.digest())
            .put("rules", pack.rules().size())
            .put("stateful", pack.stateful()));
  }

  private Response list(Request request) {
    OrgId org = org(request);
    ListPage page = ListPage.of(request);
    List<HostedPack> found = packs.list(org, page.after(), page.fetch());
    List<PackNodes.ActiveOn> active = active(org, found.stream().map(HostedPack::id).toList());
    return page.answer(
        "policies", found, pack -> pack.id().value(), pack -> packJson(pack, active));
  }

  private Response create(Request request) {
    OrgId org = org(request);
    var published = publish.create(request.origin(), org, document(request.json()));
    return Response.json(201, answer(published.pack()))
        .header("Location", "/api/orgs/" + org.value() + "/policies/" + published.pack().id());
  }

  private Response add(Request request) {
    var published =
        publish.add(request.origin(), org(request), id(request), document(request.json()));
    return Response.json(published.isNew() ? 201 : 200, answer(published.pack()));
  }

  private Response read(Request request) {
    return Response.json(answer(PublishPack.find(packs, org(request), id(request))));
  }

  private Response versions(Request request) {
    HostedPack pack = PublishPack.find(packs, org(request), id(request));
    ListPage page = ListPage.of(request);
    int before =
        page.after()
            .map(text -> ListPage.number("cursor", text, 1, Integer.MAX_VALUE))
            .orElse(Integer.MAX_VALUE);
    return page.answer(
        "versions",
        packs.versions(pack.org(), pack.id(), before, page.fetch()),
        version -> Integer.toString(version.number()),
        version -> versionJson(pack, version));
  }

  /** Returns the document as published, which is the form its digest covers. */
  private Response version(Request request) {
    HostedPack pack = PublishPack.find(packs, org(request), id(request));
    String text = request.pathParam("version");
    Optional<PackVersion> version =
        text.matches("[1-9][0-9]{0,5}")
            ? packs.version(pack.org(), pack.id(), Integer.parseInt(text))
            : Optional.empty();
    Optional<JsonObject> document =
        version.flatMap(known -> packs.document(pack.org(), pack.id(), known.number()));
    if (version.isEmpty() || document.isEmpty()) {
      throw ProblemException.notFound(
          "The pack has no such version.",
          "unknown_version",
          Map.of("policy_id", pack.id().value()));
    }
    String digest = version.get().digest();
    return Response.bytes(200, "application/json", Json.bytes(document.get()))
        .header("ETag", "\"" + digest + "\"")
        .header("X-Policy-Digest", digest);
  }

  private Response activate(Request request) {
    return Response.json(
        answer(use.activate(request.origin(), org(request), id(request), number(request))));
  }

  private Response deprecate(Request request) {
    return Response.json(
        answer(use.deprecate(request.origin(), org(request), id(request), number(request))));
  }

  private Response shadow(Request request) {
    return Response.json(
        answer(use.shadow(request.origin(), org(request), id(request), number(request))));
  }

  private Response stopShadow(Request request) {
    return Response.json(answer(use.stopShadow(request.origin(), org(request), id(request))));
  }

  private JsonObject answer(HostedPack pack) {
    return packJson(pack, active(pack.org(), List.of(pack.id()))).with("ok", JsonBoolean.TRUE);
  }

  private List<PackNodes.ActiveOn> active(OrgId org, List<PolicyId> ids) {
    return nodes.activeOn(org, ids, clock.instant().minus(PackWatch.ALIVE));
  }

  /** Returns the pack in the body, directly or under {@code policy} as in verify requests. */
  private static JsonObject document(JsonObject body) {
    return body.has("requires_capabilities") ? body : body.object("policy").orElse(body);
  }

  private static OptionalInt number(Request request) {
    JsonObject body = request.hasBody() ? request.json() : JsonObject.EMPTY;
    OptionalLong number =
        Members.of(body).only(Set.of("version")).whole("version", 1, Integer.MAX_VALUE - 1);
    return number.isPresent() ? OptionalInt.of((int) number.getAsLong()) : OptionalInt.empty();
  }

  private OrgId org(Request request) {
    return directory.within(Rights.of(request.caller()), request.pathParam("org_id"));
  }

  private static PolicyId id(Request request) {
    return id(request.pathParam("policy_id"));
  }

  private static PolicyId id(String text) {
    return PolicyId.parse(text).orElseThrow(() -> PublishPack.unknown(text));
  }

  /**
   * Returns the pack named in a path.
   *
   * @throws dev.safeconduct.error.ProblemException 404 if the organization has no pack with that id
   */
  public static HostedPack pack(HostedPacks packs, OrgId org, String id) {
    return PublishPack.find(packs, org, id(id));
  }

  /** Writes organizations' packs and their versions as JSON for responses. */
  static JsonObject packJson(HostedPack pack, List<PackNodes.ActiveOn> nodes) {
    return JsonObject.builder()
        .put("policy_id", pack.id().value())
        .put("org_id", pack.org().value())
        .put("name", pack.active().orElse(pack.latest()).name())
        .put("status", pack.status())
        .putNumberOrNull("active_version", pack.active().map(PackVersion::number))
        .putOrNull("active_digest", pack.active().map(PackVersion::digest))
        .putNumberOrNull("shadow_version", pack.shadow().map(PackVersion::number))
        .putOrNull("shadow_digest", pack.shadow().map(PackVersion::digest))
        .putOrNull("shadow_since", pack.shadowSince().map(IsoInstant::millis))
        .put("latest_version", pack.latest().number())
        .put("latest_digest", pack.latest().digest())
        .put("created_at", IsoInstant.millis(pack.createdAt()))
        .put("changed_at", IsoInstant.millis(pack.changedAt()))
        .put(
            "active_on",
            nodes.stream().filter(node -> node.id().equals(pack.id())).toList(),
            HostedPolicyEndpoints::node)
        .build();
  }

  private static JsonObject node(PackNodes.ActiveOn node) {
    return JsonObject.builder()
        .put("node", node.node())
        .putOrNull("policy_digest", node.digest())
        .putOrNull(
            "since", node.since().filter(_ -> node.digest().isPresent()).map(IsoInstant::millis))
        .put("seen_at", IsoInstant.millis(node.seenAt()))
        .build();
  }

  static JsonObject versionJson(HostedPack pack, PackVersion version) {
    return JsonObject.builder()
        .put("policy_id", pack.id().value())
        .put("version", version.number())
        .put("name", version.name())
        .put("pack_version", version.label())
        .put("policy_digest", version.digest())
        .put("status", status(pack, version))
        .put("created_at", IsoInstant.millis(version.createdAt()))
        .put("created_by", version.createdBy())
        .putOrNull("deprecated_at", version.deprecatedAt().map(IsoInstant::millis))
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
}
