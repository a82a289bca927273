package dev.safeconduct.passport;

import dev.safeconduct.access.NotFoundProblems;
import dev.safeconduct.access.Rights;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;

/**
 * Finds a passport for a caller: within the caller's organization or, for a setup key, its one
 * agent.
 */
public final class FindPassport {
  private final Passports passports;

  public FindPassport(Passports passports) {
    this.passports = passports;
  }

  /**
   * Returns the passport.
   *
   * @throws dev.safeconduct.error.ProblemException 404 if the passport does not exist or the caller
   *     may not see it
   */
  public Passport run(Caller caller, AgentId id) {
    Rights rights = Rights.of(caller);
    return passports
        .find(rights.tenant(), id)
        .filter(passport -> rights.reaches(passport.agentId()))
        .orElseThrow(() -> NotFoundProblems.passport(id));
  }

  /** Returns the passport with that slug; see {@link #run}. */
  public Passport bySlug(Caller caller, String slug) {
    Rights rights = Rights.of(caller);
    if (!Slug.isValid(slug)) {
      throw NotFoundProblems.passport(slug);
    }
    return passports
        .bySlug(rights.tenant(), slug)
        .filter(passport -> rights.reaches(passport.agentId()))
        .orElseThrow(() -> NotFoundProblems.passport(slug));
  }

  /** Returns the agent id in a path, {@code ap_…} or a UUID. Throws 404 for any other text. */
  public static AgentId named(String text) {
    return AgentId.hosted(text).orElseThrow(() -> NotFoundProblems.passport(text));
  }
}
