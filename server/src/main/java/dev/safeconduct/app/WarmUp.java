package dev.safeconduct.app;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.signing.Signer;
import dev.safeconduct.verify.EvaluationInput;
import dev.safeconduct.verify.Evaluator;
import dev.safeconduct.verify.TemplateChain;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
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

  private static final String PASSPORT =
      """
      {"agent_id": "ap_warm_up", "status": "active", "assurance_level": "L0",
       "capabilities": [{"id": "system.command.execute"}], "regions": ["US"],
       "limits": {"system.command.execute": {"allowed_commands": ["git"],
         "max_execution_time": 60, "allowed_working_directories": ["/srv/app"]}}}
      """;

  private static final String CONTEXT =
      """
      {"command": "git status", "cwd": "/srv/app/src", "timeout": 10}
      """;

  private WarmUp() {}

  static void run(PolicyCatalog catalog, Evaluator evaluator, Signer signer, InstantSource clock) {
    if (DONE.getAndSet(true)) {
      return;
    }
    long end = System.nanoTime() + MOST.toNanos();
    for (int i = 0; i < ROUNDS && System.nanoTime() < end; i++) {
      for (PolicyPack pack : catalog.all()) {
        once(pack, evaluator, signer, clock);
      }
    }
  }

  private static void once(
      PolicyPack pack, Evaluator evaluator, Signer signer, InstantSource clock) {
    try {
      JsonObject passport = Json.parseObject(PASSPORT.getBytes(StandardCharsets.UTF_8));
      JsonObject context = Json.parseObject(CONTEXT.getBytes(StandardCharsets.UTF_8));
      var outcome =
          evaluator.evaluate(
              EvaluationInput.simulated(
                  pack, JudgedPassport.of(passport), TemplateChain.NONE, context, clock.instant()),
              Usage.NONE);
      signer.sign(
          CanonicalJson.bytes(passport.with("reason", new JsonString(outcome.reason().message()))));
    } catch (JsonFault e) {
      throw new IllegalStateException(e);
    }
  }
}
