package dev.safeconduct.audit;

import dev.safeconduct.audit.tlog.Tile;
import dev.safeconduct.audit.tlog.Tree;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The log as a whole: its checkpoints, its tiles, and that an older one is a prefix of it. */
public final class LogEndpoints {
  private static final Permission READ_AUDIT = new Permission.Scoped(Scope.READ_AUDIT);
  private static final String TEXT = "text/plain; charset=utf-8";

  private final MerkleLog log;
  private final Checkpoints checkpoints;
  private final Permission reading;

  /** {@code open}: whether anybody may read checkpoints and tiles ({@code AUDIT_LOG_PUBLIC}). */
  public LogEndpoints(MerkleLog log, Checkpoints checkpoints, boolean open) {
    this.log = log;
    this.checkpoints = checkpoints;
    this.reading = open ? Permission.OPEN : READ_AUDIT;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/audit/checkpoint", READ_AUDIT, this::checkpoint),
        Route.get("/api/audit/consistency", READ_AUDIT, this::consistency),
        Route.get("/api/audit/log/checkpoint", reading, this::checkpoint),
        Route.get("/api/audit/log/verifier-key", reading, this::verifierKey),
        Route.get("/api/audit/log/tile/{tile...}", reading, this::tile));
  }

  private Response checkpoint(Request request) {
    return text(checkpoints.current().note().encoded());
  }

  private Response verifierKey(Request request) {
    return text(String.join("\n", checkpoints.verifierKeys()) + "\n");
  }

  /** A full tile never changes; how far a partial one has come is part of its name. */
  private Response tile(Request request) {
    String path = request.pathParam("tile");
    byte[] hashes =
        Tile.parse(path)
            .flatMap(log::tile)
            .orElseThrow(() ->
                new Problem.NotFound(
                        "The log has no such tile.",
                        "tile_not_found",
                        Map.of("tile", path.length() > 64 ? "" : path))
                    .toException());
    return Response.bytes(200, "application/octet-stream", hashes)
        .header("Cache-Control", "public, max-age=31536000, immutable");
  }

  private Response consistency(Request request) {
    long from = size(request, "from").orElseThrow(() -> bad("from"));
    Optional<Long> asked = size(request, "to");
    Checkpoints.Signed signed = checkpoints.atLeast(asked.orElse(0L));
    long to = asked.orElse(signed.checkpoint().size());
    if (to > signed.checkpoint().size()) {
      throw bad("to");
    }
    if (from < 1 || from > to) {
      throw bad("from");
    }
    HexFormat hex = HexFormat.of();
    var newer = new Tree(log.nodes(), to);
    return Response.json(
        200,
        JsonObject.builder()
            .put("from", from)
            .put("to", to)
            .put("from_root", hex.formatHex(new Tree(log.nodes(), from).root()))
            .put("to_root", hex.formatHex(newer.root()))
            .put(
                "consistency_path",
                JsonArray.ofStrings(newer.consistency(from).stream().map(hex::formatHex).toList()))
            .put("checkpoint", signed.note().encoded())
            .put("ok", true)
            .build());
  }

  private static Optional<Long> size(Request request, String name) {
    Optional<String> text = request.query(name);
    if (text.isPresent() && !text.get().matches("[0-9]{1,18}")) {
      throw bad(name);
    }
    return text.map(Long::parseLong);
  }

  private static RuntimeException bad(String name) {
    return Problem.invalid(
            name,
            name + " must be the size of a tree of this log: 1 to its present size, from ≤ to.")
        .toException();
  }

  private static Response text(String text) {
    return Response.bytes(200, TEXT, text.getBytes(StandardCharsets.UTF_8));
  }
}
