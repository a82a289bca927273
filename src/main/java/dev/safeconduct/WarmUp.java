package dev.safeconduct;

import dev.safeconduct.decision.DecisionRequest;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.facts.Feeds;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.usage.Usage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the thinking part of a verification until it is quick, before the first caller is let in:
 * open clients give up after 800 ms. Nothing is recorded and no counter moves.
 */
final class WarmUp {
  private static final Duration MOST = Duration.ofMillis(120);
  private static final int ROUNDS = 400;

  /** What has been compiled stays compiled: a second service in this process is quick already. */
  private static final AtomicBoolean DONE = new AtomicBoolean();

  private static final byte[] REQUEST =
      """
      {"passport": {"agent_id": "ap_warm_up", "status": "active", "assurance_level": "L0",
         "capabilities": [{"id": "system.command.execute"}], "regions": ["US"],
         "limits": {"system.command.execute": {"allowed_commands": ["git"],
           "max_execution_time": 60, "allowed_working_directories": ["/srv/app"]}}},
       "context": {"command": "git status", "cwd": "/srv/app/src", "timeout": 10}}
      """
          .getBytes(StandardCharsets.UTF_8);

  private WarmUp() {}

  static void run(
      PolicyCatalog catalog, PolicyDecisionPoint pdp, Signer signer, InstantSource clock) {
    if (DONE.getAndSet(true)) {
      return;
    }
    long end = System.nanoTime() + MOST.toNanos();
    for (int i = 0; i < ROUNDS && System.nanoTime() < end; i++) {
      for (PolicyPack pack : catalog.all()) {
        once(pack, pdp, signer, clock);
      }
    }
  }

  private static void once(
      PolicyPack pack, PolicyDecisionPoint pdp, Signer signer, InstantSource clock) {
    try {
      JsonObject body = Json.parseObject(REQUEST);
      var outcome =
          pdp.decide(
              new DecisionRequest(
                  pack,
                  body.object("passport").orElse(JsonObject.EMPTY),
                  true,
                  body.object("context").orElse(JsonObject.EMPTY),
                  Optional.empty(),
                  Usage.NONE,
                  List.of("warm-up"),
                  Feeds.NONE,
                  clock.instant(),
                  false));
      byte[] canonical =
          CanonicalJson.bytes(
              body.with("reason", new dev.safeconduct.json.JsonString(outcome.reason().message())));
      signer.sign(canonical);
    } catch (JsonFault e) {
      throw new IllegalStateException(e);
    }
  }
}
