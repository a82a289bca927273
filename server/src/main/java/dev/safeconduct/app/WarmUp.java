package dev.safeconduct.app;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.verify.EvaluationInput;
import dev.safeconduct.verify.SubjectResolver;
import dev.safeconduct.verify.TemplateChain;
import dev.safeconduct.verify.VerifyAction;
import dev.safeconduct.verify.VerifyRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Decides until the JIT compiler has compiled what decisions use, before the server accepts
 * requests. Some clients time out after 800 ms. Nothing is recorded and no counter changes.
 */
final class WarmUp {
  private static final Duration MOST = Duration.ofMillis(120);
  private static final int ROUNDS = 400;

  /** Compiled code stays compiled, so a second service in this process needs no warm-up. */
  private static final AtomicBoolean DONE = new AtomicBoolean();

  private static final AgentId NOBODY = new AgentId("ap_warm_up");

  /** They use most of the checks. */
  private static final List<String> PACKS =
      List.of("system.command.execute.v1", "web.fetch.v1", "messaging.message.send.v1");

  private static final String PASSPORT =
      """
      {"agent_id": "ap_warm_up", "status": "active", "assurance_level": "L2",
       "capabilities": [{"id": "system.command.execute"}, {"id": "web.fetch"},
         {"id": "messaging.send"}], "regions": ["US"],
       "limits": {
         "system.command.execute": {"allowed_commands": ["git"], "max_execution_time": 60,
           "allowed_working_directories": ["/srv/app"]},
         "web.fetch": {"allowed_domains": ["example.com"], "allowed_methods": ["POST"]},
         "messaging.send": {"msgs_per_min": 10, "msgs_per_day": 100,
           "channels_allowlist": ["general"]}}}
      """;

  private static final String CONTEXT =
      """
      {"command": "git log -n 5 -- src/main", "cwd": "/srv/app/src", "timeout": 10,
       "env": {"CI": "true"}, "url": "https://example.com/api?page=1", "method": "POST",
       "headers": {"accept": "application/json"}, "body": "{\\"title\\": \\"The build fails\\"}",
       "channel_id": "general", "message": "The build failed again.", "message_type": "text"}
      """;

  private WarmUp() {}

  static void run(PolicyCatalog catalog, VerifyModule verify, Platform platform) {
    if (DONE.getAndSet(true)) {
      return;
    }
    List<PolicyPack> packs = PACKS.stream().map(catalog::find).flatMap(Optional::stream).toList();
    useStore(verify.subjects(), platform.store());
    long end = System.nanoTime() + MOST.toNanos();
    for (int i = 0; i < ROUNDS && System.nanoTime() < end; i++) {
      for (PolicyPack pack : packs) {
        once(pack, verify.verify(), platform.baseUrl(), platform.clock());
      }
    }
  }

  /** Loads what reads passports and what commits: a look-up of no agent, a change of nothing. */
  private static void useStore(SubjectResolver subjects, Storage store) {
    try {
      boolean _ = subjects.hosted(NOBODY).isPresent();
      int _ = store.change(_ -> MutationResult.none(0));
    } catch (ProblemException _) {
      // A store that does not answer is reported by readyz and by each decision.
    }
  }

  private static void once(
      PolicyPack pack, VerifyAction verify, String baseUrl, InstantSource clock) {
    try {
      JsonObject passport = Json.parseObject(PASSPORT.getBytes(StandardCharsets.UTF_8));
      JsonObject context = Json.parseObject(CONTEXT.getBytes(StandardCharsets.UTF_8));
      var request =
          new VerifyRequest(
              new VerifyRequest.Sender(
                  new Caller.Admin(), Optional.empty(), "req_warm_up", "127.0.0.1"),
              pack.id().value(),
              new VerifyRequest.Sent(
                  List.of(),
                  context,
                  Optional.empty(),
                  Optional.empty(),
                  Optional.of(passport),
                  Optional.empty(),
                  context),
              VerifyRequest.Options.NONE,
              Optional.empty(),
              Optional.empty());
      EvaluationInput input =
          EvaluationInput.simulated(
              pack,
              JudgedPassport.of(passport),
              TemplateChain.NONE,
              context,
              Optional.empty(),
              clock.instant());
      verify.rehearse(request, input, baseUrl).end();
    } catch (JsonFault e) {
      throw new IllegalStateException(e);
    }
  }
}
