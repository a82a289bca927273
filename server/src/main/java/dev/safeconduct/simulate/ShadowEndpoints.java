package dev.safeconduct.simulate;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.ListPage;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.hosted.HostedPack;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.policy.hosted.HostedPolicyEndpoints;
import dev.safeconduct.policy.hosted.PackVersion;
import dev.safeconduct.policy.hosted.PackWatch;
import dev.safeconduct.simulate.ShadowResults.StoredDifference;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** {@code GET …/policies/{policy_id}/shadow}: decisions that a shadow version would change. */
public final class ShadowEndpoints {
  private static final int EXPORTED_AT_ONCE = 500;

  private final HostedPacks packs;
  private final ShadowResults trials;
  private final Directory directory;
  private final InstantSource clock;

  public ShadowEndpoints(
      HostedPacks packs, ShadowResults trials, Directory directory, InstantSource clock) {
    this.packs = packs;
    this.trials = trials;
    this.directory = directory;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.get(
            HostedPolicyEndpoints.PACK + "/shadow",
            HostedPolicyEndpoints.ADMINISTRATOR,
            this::read));
  }

  private Response read(Request request) {
    OrgId org = directory.within(Rights.of(request.caller()), request.pathParam("org_id"));
    HostedPack pack = HostedPolicyEndpoints.pack(packs, org, request.pathParam("policy_id"));
    Optional<Integer> version =
        request
            .query("version")
            .map(text -> ListPage.number("version", text, 1, Integer.MAX_VALUE))
            .or(() -> pack.shadow().map(PackVersion::number))
            .or(() -> trials.latest(org, pack.id()));
    ShadowResults.Subject subject =
        new ShadowResults.Subject(org, pack.id().value(), version.orElse(0));
    return switch (request.query("format").orElse("json")) {
      case "json" -> page(request, pack, version, subject);
      case "ndjson" -> Response.stream(200, "application/x-ndjson", out -> export(subject, out));
      default -> throw ProblemException.invalid("format", "format must be json or ndjson.");
    };
  }

  private Response page(
      Request request, HostedPack pack, Optional<Integer> version, ShadowResults.Subject subject) {
    Instant aliveSince = clock.instant().minus(PackWatch.ALIVE);
    ShadowResults.Found found = trials.found(subject, aliveSince);
    int limit =
        request
            .query("limit")
            .map(text -> ListPage.number("limit", text, 1, ListPage.MAX_LIMIT))
            .orElse(50);
    long before =
        request
            .query("cursor")
            .map(text -> (long) ListPage.number("cursor", text, 1, Integer.MAX_VALUE))
            .orElse(Long.MAX_VALUE);
    List<StoredDifference> kept = trials.differences(subject, before, limit + 1);
    boolean more = kept.size() > limit;
    List<StoredDifference> shown = more ? kept.subList(0, limit) : kept;
    ShadowResults.ShadowCounts tally = found.tally();
    boolean running = version.isPresent() && pack.shadow().map(PackVersion::number).equals(version);
    return Response.ok(
        JsonObject.builder()
            .put("policy_id", pack.id().value())
            .putNumberOrNull("active_version", pack.active().map(PackVersion::number))
            .putNumberOrNull("shadow_version", version)
            .put("running", running)
            .putOrNull("since", pack.shadowSince().filter(_ -> running).map(IsoInstant::millis))
            .put(
                "counts",
                JsonObject.builder()
                    .put("evaluated", tally.evaluated())
                    .put("same", tally.same())
                    .put("would_deny", tally.wouldDeny())
                    .put("would_allow", tally.wouldAllow())
                    .put("other_reason", tally.otherReason())
                    .put("failed", tally.failed())
                    .put("dropped", tally.dropped())
                    .put("kept", found.kept())
                    .put("interrupted_nodes", found.interruptedNodes()))
            .put("differences", shown, StoredDifference::body)
            .putOrNull(
                "next_cursor",
                more ? Optional.of(Long.toString(shown.getLast().place())) : Optional.empty()));
  }

  /** All kept differences, one a line, newest first. */
  private void export(ShadowResults.Subject subject, OutputStream out) throws IOException {
    long before = Long.MAX_VALUE;
    List<StoredDifference> kept = trials.differences(subject, before, EXPORTED_AT_ONCE);
    while (!kept.isEmpty()) {
      for (StoredDifference one : kept) {
        out.write(Json.bytes(one.body()));
        out.write('\n');
        before = one.place();
      }
      kept = trials.differences(subject, before, EXPORTED_AT_ONCE);
    }
  }
}
