package dev.safeconduct.audit;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.http.Permission;
import dev.safeconduct.http.Request;
import dev.safeconduct.http.Response;
import dev.safeconduct.http.Route;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.tlog.Tile;
import dev.safeconduct.tlog.Tree;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The endpoints of the log: checkpoints, tiles and consistency proofs. */
public final class LogEndpoints {
  private static final Permission READ_AUDIT = new Permission.Scoped(Scope.READ_AUDIT);
  private static final String TEXT = "text/plain; charset=utf-8";

  private final MerkleLog log;
  private final Checkpoints checkpoints;
  private final Cosignatures cosignatures;
  private final Permission reading;

  /** {@code open}: whether checkpoints and tiles are public ({@code AUDIT_LOG_PUBLIC}). */
  public LogEndpoints(
      MerkleLog log, Checkpoints checkpoints, Cosignatures cosignatures, boolean open) {
    this.log = log;
    this.checkpoints = checkpoints;
    this.cosignatures = cosignatures;
    this.reading = open ? Permission.OPEN : READ_AUDIT;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/api/audit/checkpoint", READ_AUDIT, this::checkpoint),
        Route.get("/api/audit/consistency", READ_AUDIT, this::consistency),
        Route.get("/api/audit/log/checkpoint", reading, this::checkpoint),
        Route.get("/api/audit/log/cosigned-checkpoint", reading, this::cosigned),
        Route.post("/api/audit/log/cosignatures", READ_AUDIT, this::cosign),
        Route.get("/api/audit/log/verifier-key", reading, this::verifierKey),
        Route.get("/api/audit/log/tile/{tile...}", reading, this::tile));
  }

  private Response checkpoint(Request request) {
    return text(checkpoints.current().note().encoded());
  }

  private Response cosigned(Request request) {
    return text(
        cosignatures
            .latest()
            .orElseThrow(() ->
                ProblemException.notFound(
                    "No witness has signed a checkpoint yet.", "not_cosigned", Map.of()))
            .encoded());
  }

  /**
   * Accepts a cosignature from any caller with access, as the witness's signature authenticates it.
   */
  private Response cosign(Request request) {
    Members body = Members.of(request.json());
    String note = body.text("checkpoint").orElseThrow(() -> body.missing("checkpoint"));
    return Response.ok(JsonObject.builder().put("checkpoint", cosignatures.add(note).encoded()));
  }

  private Response verifierKey(Request request) {
    return text(String.join("\n", checkpoints.verifierKeys()) + "\n");
  }

  /** A full tile never changes; a partial tile's name includes its width. */
  private Response tile(Request request) {
    String path = request.pathParam("tile");
    byte[] hashes =
        Tile.parse(path)
            .flatMap(log::tile)
            .orElseThrow(() ->
                ProblemException.notFound(
                    "The log has no such tile.",
                    "tile_not_found",
                    Map.of("tile", path.length() > 64 ? "" : path)));
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
    return Response.ok(
        JsonObject.builder()
            .put("from", from)
            .put("to", to)
            .put("from_root", hex.formatHex(new Tree(log.nodes(), from).root()))
            .put("to_root", hex.formatHex(newer.root()))
            .put(
                "consistency_path",
                JsonArray.ofStrings(newer.consistency(from).stream().map(hex::formatHex).toList()))
            .put("checkpoint", signed.note().encoded()));
  }

  private static Optional<Long> size(Request request, String name) {
    Optional<String> text = request.query(name);
    if (text.isPresent() && !text.get().matches("[0-9]{1,18}")) {
      throw bad(name);
    }
    return text.map(Long::parseLong);
  }

  private static RuntimeException bad(String name) {
    return ProblemException.invalid(
        name, name + " must be the size of a tree of this log: 1 to its present size, from ≤ to.");
  }

  private static Response text(String text) {
    return Response.bytes(200, TEXT, text.getBytes(StandardCharsets.UTF_8));
  }
}
