package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.policy.PolicyPack;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A passport as one pack evaluates it: everything that depends on these two alone, computed once
 * and used by all decisions. It holds both, so that a decision never mixes a pack with a passport
 * that was read at another time.
 */
public final class CompiledPassport {
  private final JudgedPassport passport;
  private final PolicyPack pack;
  private final Limits limits;
  private final List<JsonObject> params;
  private final JsonObject policy;
  private final @Nullable Reason capability;
  private final @Nullable Reason assurance;

  private CompiledPassport(JudgedPassport passport, PolicyPack pack) {
    this.passport = passport;
    this.pack = pack;
    limits = EffectiveLimits.of(passport, pack.containers());
    params = passport.capabilities().params(pack.capabilities());
    policy =
        JsonObject.builder()
            .put("id", pack.id().value())
            .put("min_assurance", pack.minAssurance().wire())
            .build();
    capability = CommonChecks.capability(passport, pack);
    assurance = CommonChecks.assurance(passport, limits, pack.minAssurance());
  }

  public static CompiledPassport of(JudgedPassport passport, PolicyPack pack) {
    return new CompiledPassport(passport, pack);
  }

  public JudgedPassport passport() {
    return passport;
  }

  public PolicyPack pack() {
    return pack;
  }

  /** The effective limits; for a pack with limits per value those of no value. */
  public Limits limits() {
    return limits;
  }

  /** The {@code params} of the capabilities that admit the pack. */
  List<JsonObject> params() {
    return params;
  }

  /** The pack, as expressions read it. */
  JsonObject policy() {
    return policy;
  }

  /** S3: the reason why the passport's capabilities do not admit the pack, if they do not. */
  @Nullable Reason capability() {
    return capability;
  }

  /** S4: the reason why the passport's assurance does not suffice, if it does not. */
  @Nullable Reason assurance() {
    return assurance;
  }

  /** Returns about how many bytes the compiled form takes in memory. */
  public int size() {
    return limits.compiledSize();
  }
}
