package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.decision.DecisionRequest;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.TestPacks;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Usage;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Content;
import dev.safeconduct.passport.template.Narrowing;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * Chains of instances, each asking its own template for something at random: whatever is issued may
 * do nothing, by itself, that its template may not. (Beside that, a decision is judged by both.)
 */
@Tag("slow")
final class InstanceChainsTest {
  private static final List<CaseMaterial> MATERIAL = CaseMaterial.all();
  private static final Catalogue CATALOGUE = Catalogue.builtIn();
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final int LINKS = 4;
  private static final int QUESTIONS = 12;

  private final PassportShape shape = new PassportShape(CATALOGUE, Optional.empty());
  private final Narrowing narrowing = new Narrowing(CATALOGUE);
  private long decisions;
  private long allows;
  private long asked;
  private long issuedAsks;
  private final PolicyDecisionPoint pdp =
      new PolicyDecisionPoint(
          Validators.all(),
          fault -> {
            throw new AssertionError(fault);
          });

  @RandomTest(cases = 10_000)
  void areNeverWiderThanTheirTemplates(RandomCase random) {
    CaseMaterial material = MATERIAL.get(random.nextInt(MATERIAL.size()));
    List<JsonObject> chain = chain(random, material);
    for (int i = 0; i < QUESTIONS; i++) {
      JsonObject context = material.contexts().get(random.nextInt(material.contexts().size()));
      boolean above = true;
      for (JsonObject passport : chain) {
        boolean allowed = allows(material.pack(), passport, context);
        if (passport.equals(chain.getLast()) && chain.size() > 1) {
          decisions++;
          allows += allowed ? 1 : 0;
        }
        assertThat(!allowed || above || isExcepted(material.pack(), chain.getFirst(), context))
            .as("%s: %s%nallows %s%nof %s", material.pack().id(), passport, context, chain)
            .isTrue();
        above = allowed;
      }
    }
  }

  /** Where nearly everything is denied, or asked for in vain, little is shown. */
  @AfterEach
  void theCasesAreWorthIt() {
    assertThat(allows * 10).isGreaterThan(decisions);
    assertThat(issuedAsks * 5).isBetween(asked + 1, asked * 4 - 1);
  }

  private List<JsonObject> chain(Random random, CaseMaterial material) {
    var chain = new ArrayList<JsonObject>();
    chain.add(material.passports().get(random.nextInt(material.passports().size())));
    var asks = new RandomAsk(random, material.passports());
    for (int i = 0; i < LINKS; i++) {
      JsonObject template = chain.getLast();
      JsonObject ask = asks.of(template);
      Optional<JsonObject> made = issued(template, ask);
      asked++;
      issuedAsks += made.isPresent() ? 1 : 0;
      made.ifPresent(chain::add);
    }
    return chain;
  }

  private Optional<JsonObject> issued(JsonObject template, JsonObject ask) {
    try {
      Content content = narrowing.of(template, shape.read(ask));
      return Optional.of(PassportDocument.apply(template, content));
    } catch (ProblemException e) {
      assertThat(e.problem()).isInstanceOf(Problem.InvalidRequest.class);
      assertThat(((Problem.InvalidRequest) e.problem()).field()).isPresent();
      return Optional.empty();
    }
  }

  private boolean allows(PolicyPack pack, JsonObject passport, JsonObject context) {
    var request =
        new DecisionRequest(
            TestPacks.agent(passport, pack, true),
            DecisionRequest.Context.of(context),
            Usage.NONE,
            Feeds.NONE,
            NOW,
            false,
            false);
    return pdp.decide(() -> request, new Budget()) instanceof Outcome.Allow;
  }

  /**
   * Two lists allow one thing by forbidding another, so that a shorter one may allow more; there
   * only the template's own judgement keeps an instance within it. Branches that may be merged into
   * may not be deleted, and a private server is spoken to only where it is named.
   */
  private static boolean isExcepted(PolicyPack pack, JsonObject root, JsonObject context) {
    return switch (pack.id().value()) {
      case "code.repository.merge.v1" ->
          context.string("action").equals(Optional.of("branch.delete"));
      case "mcp.tool.execute.v1" -> namesNoServer(root);
      default -> false;
    };
  }

  private static boolean namesNoServer(JsonObject passport) {
    return passport
        .object("limits")
        .flatMap(limits -> limits.object("mcp.tool.execute"))
        .flatMap(limits -> limits.array("allowed_servers"))
        .filter(servers -> servers.texts().contains("*"))
        .isPresent();
  }
}
