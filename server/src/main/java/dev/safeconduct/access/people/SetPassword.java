package dev.safeconduct.access.people;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.signing.PasswordHash;
import java.time.Instant;

/** Sets a person's password, which ends all of their sessions. */
public final class SetPassword {
  public static final int MIN_LENGTH = 10;
  public static final int MAX_LENGTH = 200;

  private final Accounts accounts;
  private final Organizations organizations;
  private final PasswordHash passwords;
  private final Recorder recorder;

  public SetPassword(
      Accounts accounts, Organizations organizations, PasswordHash passwords, Recorder recorder) {
    this.accounts = accounts;
    this.organizations = organizations;
    this.passwords = passwords;
    this.recorder = recorder;
  }

  /** Returns whether the password is 10 to 200 characters long (NIST SP 800-63B section 3.1.1). */
  public static boolean isFit(String password) {
    int length = password.codePointCount(0, password.length());
    return length >= MIN_LENGTH && length <= MAX_LENGTH;
  }

  /**
   * Returns the hash of a new password.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for one that is too short or too long
   */
  public String hash(String password) {
    if (!isFit(password)) {
      throw ProblemException.invalid(
          "password", "A password has " + MIN_LENGTH + " to " + MAX_LENGTH + " characters.");
    }
    try {
      return passwords.of(password);
    } catch (PasswordHash.Busy e) {
      throw LogIn.busy();
    }
  }

  /**
   * Sets the password.
   *
   * @param account as it was when its link was opened
   * @return false when the password has changed since
   */
  public boolean run(Origin origin, Account account, String password) {
    Account changed = account.withPassword(hash(password));
    Instant now = recorder.now();
    OrgId org = organizations.ofRecords(account, accounts.memberships(account.id()));
    JsonObject what =
        JsonObject.builder().put("change", "password_set").put("account_id", account.id()).build();
    return accounts.setPassword(
        changed,
        account.passwordVersion(),
        now,
        recorder.write(RecordKind.LOGIN, org, now, origin, what));
  }
}
