package dev.safeconduct.passport;

import dev.safeconduct.access.Rights;
import dev.safeconduct.access.Unknown;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Caller;

/** Finds a passport for a caller, within the organization and, for a setup key, its one agent. */
public final class FindPassport {
  private final Passports passports;

  public FindPassport(Passports passports) {
    this.passports = passports;
  }

  /**
   * The passport.
   *
   * @throws dev.safeconduct.problem.ProblemException 404 when it does not exist or is not the
   *     caller's to see
   */
  public Passport run(Caller caller, AgentId id) {
    Rights rights = Rights.of(caller);
    return passports
        .find(rights.tenant(), id)
        .filter(passport -> rights.reaches(passport.agentId()))
        .orElseThrow(() -> Unknown.passport(id));
  }

  /** The passport of that slug; see {@link #run}. */
  public Passport bySlug(Caller caller, String slug) {
    Rights rights = Rights.of(caller);
    if (!Slug.isValid(slug)) {
      throw Unknown.passport(slug);
    }
    return passports
        .bySlug(rights.tenant(), slug)
        .filter(passport -> rights.reaches(passport.agentId()))
        .orElseThrow(() -> Unknown.passport(slug));
  }

  /** The agent a path names, {@code ap_…} or as a UUID; 404 for text that can be neither. */
  static AgentId named(String text) {
    return AgentId.hosted(text).orElseThrow(() -> Unknown.passport(text));
  }
}
