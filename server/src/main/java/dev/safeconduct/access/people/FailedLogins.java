package dev.safeconduct.access.people;

import dev.safeconduct.access.SignInMethod;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records failed logins to existing accounts, and first steps after which a second step must
 * follow. The record is written asynchronously: a login that takes a write longer would reveal that
 * the account exists.
 */
public final class FailedLogins {
  private static final Logger LOG = LoggerFactory.getLogger(FailedLogins.class);

  private final Accounts accounts;
  private final Organizations organizations;
  private final Recorder recorder;

  public FailedLogins(Accounts accounts, Organizations organizations, Recorder recorder) {
    this.accounts = accounts;
    this.organizations = organizations;
    this.recorder = recorder;
  }

  void note(Origin origin, Account account) {
    note(origin, account, "sign_in_failed");
  }

  /** Records that the first step was right; no session exists until the second one is done. */
  void noteFirstStep(Origin origin, Account account, SignInMethod method) {
    note(origin, account, method.name() + "_accepted");
  }

  private void note(Origin origin, Account account, String change) {
    Thread.ofVirtual().name("failed-login").start(() -> write(origin, account, change));
  }

  private void write(Origin origin, Account account, String change) {
    try {
      Instant now = recorder.now();
      // An operator signs in without a membership, too.
      OrgId org = organizations.ofRecords(account, accounts.memberships(account.id()));
      JsonObject what =
          JsonObject.builder().put("change", change).put("account_id", account.id()).build();
      accounts.note(recorder.write(RecordKind.LOGIN, org, now, origin, what));
    } catch (RuntimeException e) {
      LOG.warn("A failed login could not be recorded: {}", e.getMessage());
    }
  }
}
