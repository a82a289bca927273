package dev.safeconduct.app;

import dev.safeconduct.decision.DecisionRequest;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.signing.Signer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs evaluations until the JIT compiler has compiled them, before the server accepts requests.
 * Some clients time out after 800 ms. Nothing is recorded and no counter changes.
 */
final class WarmUp {
  private static final Duration MOST = Duration.ofMillis(120);
  private static final int ROUNDS = 400;

  /** Compiled code stays compiled, so a second service in this process needs no warm-up. */
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
                  new DecisionRequest.Agent(
                      JudgedPassport.of(body.object("passport").orElse(JsonObject.EMPTY)),
                      true,
                      List.of("warm-up")),
                  DecisionRequest.Context.of(body.object("context").orElse(JsonObject.EMPTY)),
                  Usage.NONE,
                  Feeds.NONE,
                  clock.instant(),
                  false,
                  false));
      byte[] canonical =
          CanonicalJson.bytes(body.with("reason", new JsonString(outcome.reason().message())));
      signer.sign(canonical);
    } catch (JsonFault e) {
      throw new IllegalStateException(e);
    }
  }
}
