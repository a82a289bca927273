package dev.safeconduct.audit;

/**
 * Something decisions depend on has changed.
 *
 * @param sequence its place among all changes, increasing over the whole service
 * @param subject what changed, for example {@code agent:ap_…} or {@code key:…}
 */
public record Change(long sequence, String subject) {
  /** What the operator reports of the world outside. */
  public static final String FEEDS = "feeds";

  /** How the subject of an organization's packs begins; its id follows. */
  public static final String PACKS = "packs:";

  public static String agent(String agentId) {
    return "agent:" + agentId;
  }

  public static String key(String keyId) {
    return "key:" + keyId;
  }

  public static String session(String sessionId) {
    return "session:" + sessionId;
  }

  /** Everything a person's sessions rest on: password, roles, the operator flag. */
  public static String account(String accountId) {
    return "account:" + accountId;
  }

  public static String packs(String org) {
    return PACKS + org;
  }
}
