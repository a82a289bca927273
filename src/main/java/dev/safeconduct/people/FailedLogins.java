package dev.safeconduct.people;

import dev.safeconduct.audit.Origin;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that somebody did not know an account's password. Nobody waits for the record: a login
 * that takes a write longer would tell that there is an account.
 */
public final class FailedLogins {
  private static final Logger LOG = LoggerFactory.getLogger(FailedLogins.class);

  private final Accounts accounts;
  private final Recorder recorder;

  public FailedLogins(Accounts accounts, Recorder recorder) {
    this.accounts = accounts;
    this.recorder = recorder;
  }

  void note(Origin origin, Account account) {
    Thread.ofVirtual().name("failed-login").start(() -> write(origin, account));
  }

  private void write(Origin origin, Account account) {
    try {
      Instant now = recorder.now();
      Optional<OrgId> org =
          accounts.memberships(account.id()).stream().map(Member::org).findFirst();
      JsonObject what =
          JsonObject.builder()
              .put("change", "sign_in_failed")
              .put("account_id", account.id())
              .build();
      org.ifPresent(
          place -> accounts.note(recorder.write(RecordKind.LOGIN, place, now, origin, what)));
    } catch (RuntimeException e) {
      LOG.warn("A failed login could not be recorded: {}", e.getMessage());
    }
  }
}
