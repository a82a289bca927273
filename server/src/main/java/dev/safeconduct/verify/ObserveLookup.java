package dev.safeconduct.verify;

import dev.safeconduct.decision.ObserveRules;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.passport.ObserveModes;
import dev.safeconduct.policy.PolicyPack;
import java.time.Instant;
import java.util.Optional;

/** Finds what observe mode lifts for an agent and a pack. It reads nothing from the database. */
public final class ObserveLookup {
  private final ObserveModes modes;
  private final ObserveRules rules;

  public ObserveLookup(ObserveModes modes, ObserveRules rules) {
    this.modes = modes;
    this.rules = rules;
  }

  /** Only a hosted agent is observed: anyone can describe another one in a request. */
  Optional<ObserveRules> of(Subject subject, PolicyPack pack, Instant now) {
    return subject.isHosted()
        ? modes
            .applying(subject.org(), new AgentId(subject.agentId()), now)
            .filter(mode -> mode.money() || !rules.concernsMoney(pack))
            .map(_ -> rules)
        : Optional.empty();
  }
}
