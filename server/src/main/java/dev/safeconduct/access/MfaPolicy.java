package dev.safeconduct.access;

import dev.safeconduct.config.Env;
import java.util.Arrays;
import java.util.Locale;

/** Who must sign in with a second factor: the setting {@code MFA_REQUIRED}. */
public enum MfaPolicy {
  /** Whoever has registered a passkey; nobody has to. */
  FALSE(""),

  /** Operators, and owners and admins of any organization. */
  ADMINS(
      """
       AND (s.issuer IS NOT NULL OR s.second_factor = 1
            OR (a.operator = 0 AND NOT EXISTS (
                SELECT 1 FROM member held
                 WHERE held.account = s.account AND held.by_group = 0
                   AND held.role IN ('owner', 'admin'))))
      """),

  /** Everybody. */
  TRUE(" AND (s.issuer IS NOT NULL OR s.second_factor = 1)");

  private final String condition;

  MfaPolicy(String condition) {
    this.condition = condition;
  }

  /** Returns the setting's value. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The SQL condition of sessions that are valid under this policy. Sessions of an identity
   * provider are: there the provider asks for the second factor.
   */
  String condition() {
    return condition;
  }

  public static MfaPolicy from(Env env) {
    String text = env.string("MFA_REQUIRED", FALSE.wire()).toLowerCase(Locale.ROOT);
    return Arrays.stream(values())
        .filter(each -> each.wire().equals(text))
        .findFirst()
        .orElseGet(() -> {
          env.fault("MFA_REQUIRED", "must be true, admins or false");
          return FALSE;
        });
  }
}
