package dev.safeconduct.ledger;

import dev.safeconduct.db.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * A change of something that decisions depend on.
 *
 * @param sequence its position among all changes, increasing over the whole service
 * @param subject what changed, for example {@code agent:ap_…} or {@code key:…}
 */
public record Change(long sequence, String subject) {
  /** The subject of external facts that the operator reports. */
  public static final String FEEDS = "feeds";

  /** The subject of the service's signing keys. */
  public static final String SIGNING_KEYS = "signing_keys";

  /** The prefix of a passport's subject; the agent id follows. */
  public static final String AGENT = "agent:";

  /** The prefix of an API key's subject; its id follows. */
  public static final String KEY = "key:";

  /** The prefix of the subject of an organization's packs; the organization's id follows. */
  public static final String PACKS = "packs:";

  /** The prefix of the subject of an organization's halt; its id follows, or {@code *} for all. */
  public static final String HALT = "halt:";

  /** The prefix of the subject of an organization's observe modes; its id follows. */
  public static final String OBSERVE = "observe:";

  /** The prefix of the subject of an operator's token; its id follows. */
  public static final String TOKEN = "token:";

  /** The subject of a halt of all organizations. */
  public static final String HALT_OF_ALL = HALT + "*";

  /** Returns the changes after the known one, in order. */
  static List<Change> after(Connection connection, long known) throws SQLException {
    return Sql.of(
            "SELECT sequence, subject FROM change WHERE sequence > :known ORDER BY sequence", known)
        .list(connection, Change::read);
  }

  static Change read(ResultSet row) throws SQLException {
    return new Change(row.getLong("sequence"), row.getString("subject"));
  }

  public static String agent(String agentId) {
    return AGENT + agentId;
  }

  public static String key(String keyId) {
    return KEY + keyId;
  }

  public static String session(String sessionId) {
    return "session:" + sessionId;
  }

  /**
   * The subject of everything a person's sessions depend on: password, roles, the operator flag.
   */
  public static String account(String accountId) {
    return "account:" + accountId;
  }

  public static String token(String tokenId) {
    return TOKEN + tokenId;
  }

  public static String halt(String org) {
    return HALT + org;
  }

  public static String observe(String org) {
    return OBSERVE + org;
  }

  public static String packs(String org) {
    return PACKS + org;
  }
}
