package dev.safeconduct.simulate.suggest;

import dev.safeconduct.decision.Check;
import dev.safeconduct.decision.Outcome;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.simulate.MemoryCounters;
import dev.safeconduct.simulate.suggest.ByPack.Result;
import dev.safeconduct.verify.Evaluator;
import java.util.ArrayList;
import java.util.List;

/**
 * Replays the evidence with a candidate, and restores what denies an action that the present
 * passport allows, until nothing is to be restored.
 */
final class CandidateCheck {
  private static final int FORGET_EVERY = 10_000;

  private final Passport passport;
  private final Candidate candidate;
  private final Evaluator evaluator;
  private final List<JsonValue> newlyDenied = new ArrayList<>();
  private MemoryCounters counters;
  private Judge judge;
  private Judge present;
  private long replayed;
  private long seen;
  private boolean changed;

  CandidateCheck(Passport passport, Candidate candidate, Evaluator evaluator) {
    this.passport = passport;
    this.candidate = candidate;
    this.evaluator = evaluator;
    counters = new MemoryCounters();
    judge = judge();
    present = new Judge(evaluator, counters, passport, passport.document());
  }

  /** The number of decisions that both or only the present passport allows. */
  long replayed() {
    return replayed;
  }

  /**
   * The decisions that only the present passport allows: none unless a rule cannot be explained.
   */
  List<JsonValue> newlyDenied() {
    return newlyDenied;
  }

  void run(Evidence evidence) {
    do {
      replayed = 0;
      if (evidence.each(new ByPack(_ -> new Replaying()), this::allowed)) {
        newlyDenied.clear();
        return;
      }
      // Something is to be restored, in the order of the log.
      counters = new MemoryCounters();
      judge = judge();
      present = new Judge(evaluator, counters, passport, passport.document());
      newlyDenied.clear();
      replayed = 0;
      changed = false;
      boolean _ =
          evidence.each(
              new ByPack(_ -> _ -> Result.DENIES),
              (item, _) -> {
                if (item instanceof Evidence.Item.Known known) {
                  replay(known);
                }
                return true;
              });
    } while (changed);
  }

  private boolean allowed(Evidence.Item item, Result result) {
    boolean counts = item instanceof Evidence.Item.Known known && !known.lead();
    replayed += counts && result == Result.ALLOWS ? 1 : 0;
    return result != Result.NEWLY_DENIES;
  }

  /** Replays the actions of one pack. */
  private final class Replaying implements ByPack.PackRun {
    private final MemoryCounters own = new MemoryCounters();
    private final Judge narrow = new Judge(evaluator, own, passport, candidate.document());
    private final Judge now = new Judge(evaluator, own, passport, passport.document());
    private long taken;

    @Override
    public Result take(Evidence.Item.Known item) {
      Outcome outcome = (item.lead() ? now : narrow).outcome(item, false);
      if (++taken % FORGET_EVERY == 0) {
        own.forget(item.at());
      }
      if (outcome.isAllow()) {
        own.charge(outcome, item.released());
        return Result.ALLOWS;
      }
      return !item.lead() && now.outcome(item, false).isAllow()
          ? Result.NEWLY_DENIES
          : Result.DENIES;
    }
  }

  private Judge judge() {
    return new Judge(evaluator, counters, passport, candidate.document());
  }

  private void replay(Evidence.Item.Known item) {
    Outcome outcome = (item.lead() ? present : judge).outcome(item, false);
    if (!outcome.isAllow() && !item.lead()) {
      Outcome now = present.outcome(item, false);
      if (now.isAllow()) {
        outcome = restored(item, outcome, now);
      }
    }
    if (outcome.isAllow()) {
      replayed += item.lead() ? 0 : 1;
      counters.charge(outcome, item.released());
    }
    if (++seen % FORGET_EVERY == 0) {
      counters.forget(item.at());
    }
  }

  /** Restores limits until the candidate allows the action, too. */
  private Outcome restored(Evidence.Item.Known item, Outcome denied, Outcome allowed) {
    Outcome outcome = denied;
    while (!outcome.isAllow()) {
      List<Check> trace = judge.outcome(item, true).trace();
      List<String> read = trace.isEmpty() ? List.of() : trace.getLast().limits().names();
      String why =
          "The replay denied decision %s with %s.".formatted(item.id(), outcome.reason().code());
      if (!candidate.restore(item.pack(), read, why)) {
        if (newlyDenied.size() < Suggestion.EXAMPLES) {
          newlyDenied.add(
              JsonObject.builder()
                  .put("decision_id", item.id().toString())
                  .put("policy_id", item.pack().id().value())
                  .put("code", outcome.reason().code())
                  .build());
        }
        return allowed;
      }
      changed = true;
      judge = judge();
      outcome = judge.outcome(item, false);
    }
    return outcome;
  }
}
