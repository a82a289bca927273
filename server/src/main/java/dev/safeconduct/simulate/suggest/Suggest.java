package dev.safeconduct.simulate.suggest;

import dev.safeconduct.db.Reads;
import dev.safeconduct.decision.Feeds;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.verify.Evaluator;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Suggests the narrowest capabilities and limits with which everything that was allowed would have
 * been allowed. Reads the log several times and keeps no decision in memory.
 */
public final class Suggest {
  private final Reads reads;
  private final PolicyCatalog packs;
  private final PackReader reader;
  private final Catalogue catalogue = Catalogue.builtIn();
  private final PolicyDecisionPoint decisionPoint;
  private final Map<String, Map<String, Source>> sources = Source.all();

  /** {@code reader}: of the policies of organizations. */
  public Suggest(
      Reads reads, PolicyCatalog packs, PackReader reader, PolicyDecisionPoint decisionPoint) {
    this.reads = reads;
    this.packs = packs;
    this.reader = reader;
    this.decisionPoint = decisionPoint;
  }

  /** Which denied decisions should be allowed, as far as the present passport allows them. */
  public enum Denied {
    NONE,
    /** Those that a person approved. */
    APPROVED,
    ALL;

    /** Returns the value with that name in lower case. */
    public static Optional<Denied> parse(String text) {
      return Arrays.stream(values())
          .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(text))
          .findFirst();
    }
  }

  /**
   * What to suggest from.
   *
   * @param from inclusive
   * @param to exclusive
   * @param most the maximum number of decisions in the period
   * @param shared whether this process answers callers, too, who need the other processors
   */
  public record Request(
      Passport passport, Instant from, Instant to, Denied denied, long most, boolean shared) {}

  /**
   * Returns the suggestion.
   *
   * @throws ProblemException 400 if the period has too many decisions
   */
  public Suggestion run(Request request) {
    var evidence = new Evidence(reads, packs, reader, request);
    var evaluator = new Evaluator(decisionPoint, () -> Feeds.NONE);
    var findings = new Findings(request.passport(), packs, catalogue, sources);
    findings.read(evidence, evaluator);
    Candidate candidate = findings.candidate();
    var check = new CandidateCheck(request.passport(), candidate, evaluator);
    check.run(evidence);
    return new Explanations(evidence, request, packs, catalogue, evaluator)
        .suggestion(findings, candidate, check);
  }

  static ProblemException tooMuch(long most) {
    return ProblemException.invalid(
        "from",
        "The period has more than "
            + most
            + " decisions; choose a shorter one, or run `safeconduct suggest` on the server.");
  }
}
