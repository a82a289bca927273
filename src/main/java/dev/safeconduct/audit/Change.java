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

  /** The keys this service signs with. */
  public static final String SIGNING_KEYS = "signing_keys";

  /** How the subject of a passport begins; the agent's id follows. */
  public static final String AGENT = "agent:";

  /** How the subject of an API key begins; its id follows. */
  public static final String KEY = "key:";

  /** How the subject of an organization's packs begins; its id follows. */
  public static final String PACKS = "packs:";

  public static String agent(String agentId) {
    return AGENT + agentId;
  }

  public static String key(String keyId) {
    return KEY + keyId;
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
