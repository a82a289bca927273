package dev.safeconduct.access.people;

import dev.safeconduct.access.KeyHash;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.mail.OutboxEntry;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Registers, renames and removes passkeys, and makes and uses recovery codes. Every change is
 * recorded, and the person gets an email.
 */
public final class ManageFactors {
  /** How many recovery codes a person gets. */
  public static final int CODES = 10;

  /** 16 of these are 80 bits: a plain hash cannot be searched. */
  private static final String LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

  private static final int CODE_LENGTH = 16;
  private static final int MOST_NAME = 60;

  private final SecondFactors factors;
  private final WebAuthn webAuthn;
  private final PendingSignIns pending;
  private final Accounts accounts;
  private final Organizations organizations;
  private final Recorder recorder;
  private final RandomGenerator random;
  private final Runnable trigger;

  /**
   * @param random cryptographically strong
   * @param trigger notifies the email sender that an email is queued
   */
  public ManageFactors(
      SecondFactors factors,
      WebAuthn webAuthn,
      PendingSignIns pending,
      Accounts accounts,
      Organizations organizations,
      Recorder recorder,
      RandomGenerator random,
      Runnable trigger) {
    this.factors = factors;
    this.webAuthn = webAuthn;
    this.pending = pending;
    this.accounts = accounts;
    this.organizations = organizations;
    this.recorder = recorder;
    this.random = random;
    this.trigger = trigger;
  }

  /**
   * Registers a passkey.
   *
   * @param json the browser's answer
   * @param binding names the browser that got the options
   * @param onlyFirst whether to refuse a second one
   * @return the recovery codes to show once; empty if the person had a passkey
   * @throws ProblemException 400 or 401 for an answer that is not valid, 409 for a passkey that is
   *     registered
   */
  public List<String> register(
      Origin origin, Account account, String json, String binding, String name, boolean onlyFirst) {
    WebAuthn.Registered made = webAuthn.register(json, binding);
    List<String> codes = newCodes();
    Instant now = recorder.now();
    var passkey =
        new Passkey(
            made.id(),
            account.id(),
            demandName(name),
            made.credential(),
            made.signCount(),
            made.backupEligible(),
            now,
            Optional.empty());
    boolean first =
        factors.register(
            passkey,
            made.challenge(),
            onlyFirst,
            hashes(codes),
            noted(origin, account, now, "passkey_added", passkey));
    trigger.run();
    return first ? codes : List.of();
  }

  public void rename(Origin origin, Account account, String id, String name) {
    Passkey found = demand(account, id);
    String next = demandName(name);
    AuditRecord entry =
        record(
            origin, account, recorder.now(), "passkey_renamed", Optional.of(id), Optional.of(next));
    if (!factors.rename(account.id(), found.id(), next, entry)) {
      throw unknown();
    }
  }

  /**
   * Removes a passkey.
   *
   * @throws ProblemException 404 for one that is not theirs, 409 for the last one of a person who
   *     must have one
   */
  public void remove(Origin origin, Account account, String id) {
    Passkey found = demand(account, id);
    if (!factors.remove(
        account.id(),
        id,
        pending.isRequired(account),
        noted(origin, account, recorder.now(), "passkey_removed", found))) {
      throw unknown();
    }
    trigger.run();
  }

  /** Replaces the recovery codes and returns the new ones. */
  public List<String> replaceCodes(Origin origin, Account account) {
    List<String> codes = newCodes();
    if (!factors.replaceCodes(
        account.id(),
        hashes(codes),
        noted(origin, account, recorder.now(), "recovery_codes_made"))) {
      throw ProblemException.conflict(
          "Recovery codes replace a passkey; add a passkey first.", "no_passkey");
    }
    trigger.run();
    return codes;
  }

  /** Uses a recovery code up; returns false when it is not one of the person's. */
  boolean useCode(Origin origin, Account account, String code) {
    boolean used =
        factors.useCode(
            account.id(), hash(code), noted(origin, account, recorder.now(), "recovery_code_used"));
    if (used) {
      trigger.run();
    }
    return used;
  }

  /** Removes all passkeys and codes of a person, and ends their sessions. */
  void reset(Origin origin, Account account) {
    Instant now = recorder.now();
    if (factors.reset(account.id(), now, noted(origin, account, now, "second_factor_reset"))) {
      trigger.run();
    }
  }

  private List<String> newCodes() {
    return Stream.generate(this::newCode).limit(CODES).toList();
  }

  private String newCode() {
    var code = new StringBuilder();
    for (int i = 0; i < CODE_LENGTH; i++) {
      code.append(i > 0 && i % 4 == 0 ? "-" : "")
          .append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return code.toString();
  }

  private static List<KeyHash> hashes(List<String> codes) {
    return codes.stream().map(ManageFactors::hash).toList();
  }

  /** People type codes with capitals, and with or without dashes and spaces. */
  private static KeyHash hash(String code) {
    return KeyHash.of(code.toLowerCase(Locale.ROOT).replaceAll("[\\s-]", ""));
  }

  private Passkey demand(Account account, String id) {
    return factors
        .passkey(id)
        .filter(found -> found.accountId().equals(account.id()))
        .orElseThrow(ManageFactors::unknown);
  }

  private static String demandName(String name) {
    return Members.of(JsonObject.of("name", name)).requiredLine("name", MOST_NAME);
  }

  private static ProblemException unknown() {
    return ProblemException.notFound("You have no such passkey.", "passkey_not_found", Map.of());
  }

  private SecondFactors.Noted noted(
      Origin origin, Account account, Instant now, String change, Passkey passkey) {
    return noted(
        origin, account, now, change, Optional.of(passkey.id()), Optional.of(passkey.name()));
  }

  private SecondFactors.Noted noted(Origin origin, Account account, Instant now, String change) {
    return noted(origin, account, now, change, Optional.empty(), Optional.empty());
  }

  private SecondFactors.Noted noted(
      Origin origin,
      Account account,
      Instant now,
      String change,
      Optional<String> passkey,
      Optional<String> name) {
    return new SecondFactors.Noted(
        record(origin, account, now, change, passkey, name),
        OutboxEntry.of(
            "mail_" + recorder.nextHex(),
            AccountEmails.FACTOR,
            account.id() + " " + change + name.map(text -> " " + text).orElse(""),
            now));
  }

  private AuditRecord record(
      Origin origin,
      Account account,
      Instant now,
      String change,
      Optional<String> passkey,
      Optional<String> name) {
    JsonObject what =
        JsonObject.builder()
            .put("change", change)
            .put("account_id", account.id())
            .putIfPresent("passkey_id", passkey)
            .putIfPresent("name", name)
            .build();
    return recorder.write(
        RecordKind.LOGIN,
        organizations.ofRecords(account, accounts.memberships(account.id())),
        now,
        origin,
        what);
  }
}
