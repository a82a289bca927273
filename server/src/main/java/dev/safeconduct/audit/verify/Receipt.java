package dev.safeconduct.audit.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.audit.SignatureCheck;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.text.Sha256;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.Proofs;
import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.TreeHash;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Verifies responses of this service with its public keys alone: a decision, a record, and their
 * inclusion in the log.
 */
public final class Receipt {
  /** Members of a decision, with their names in its record. */
  private static final Map<String, String> IN_RECORD =
      Map.of(
          DecisionJson.DECISION_ID, "record_id",
          DecisionJson.OWNER_ID, "org_id",
          DecisionJson.ISSUED_AT, "at",
          DecisionJson.AGENT_ID, "agent_id",
          DecisionJson.POLICY_ID, "policy_id",
          DecisionJson.ALLOW, "allow");

  private final SignatureCheck keys;
  private final List<String> lines = new ArrayList<>();
  private boolean sound = true;

  /** Whether a signature or a proof by the published keys was verified. */
  private boolean verified;

  private Receipt(SignatureCheck keys) {
    this.keys = keys;
  }

  /**
   * The result.
   *
   * @param sound whether no check failed, a signature or proof was verified, and every proof that
   *     was given shows its record to be in the log
   * @param lines one for each check: {@code ok}, {@code FAULT} or {@code not checked}
   */
  public record Result(boolean sound, List<String> lines) {}

  /**
   * Verifies a response.
   *
   * @param answer a decision as any call returns it, or a record
   * @param record the record of that decision, if available
   * @param proof from {@code /api/audit/{record_id}/proof} or as C2SP tlog-proof; by default the
   *     response's
   */
  public static Result check(
      JsonObject answer,
      Optional<JsonObject> record,
      Optional<InclusionText> proof,
      SignatureCheck keys) {
    var receipt = new Receipt(keys);
    boolean isRecord = answer.has("record_id") && answer.has("body");
    Optional<JsonObject> theRecord = isRecord ? Optional.of(answer) : record;
    JsonObject decision =
        isRecord
            ? withSignature(answer.object("body").orElse(JsonObject.EMPTY), answer)
            : answer.object("decision").orElse(answer);
    if (isRecord && !answer.string("kind").equals(Optional.of(RecordKind.DECISION.wire()))) {
      receipt.lines.add("not checked: a record of this kind has no signature of its own");
    } else {
      receipt.decision(decision);
    }
    if (!isRecord && theRecord.isPresent()) {
      JsonObject body = theRecord.get().object("body").orElse(JsonObject.EMPTY);
      receipt.that(body.equals(DecisionJson.signed(decision)), "the record is this decision's");
    }
    if (isRecord && record.isPresent()) {
      receipt.that(record.get().equals(answer), "both records are the same");
    }
    var shown = new ArrayList<InclusionText>();
    proof.ifPresent(shown::add);
    if (answer.present("proof") != null) {
      Optional<InclusionText> own = answer.string("proof").flatMap(InclusionText::parse);
      receipt.that(own.isPresent(), "the answer's own proof can be read");
      own.ifPresent(shown::add);
    }
    if (!isRecord) {
      receipt.beside(answer, decision, !shown.isEmpty());
    }
    boolean included = true;
    for (InclusionText each : shown) {
      included &= receipt.inclusion(each, theRecord, decision);
    }
    boolean proved = included && !shown.isEmpty();
    theRecord.ifPresent(whole -> receipt.record(whole, proved));
    if (!receipt.verified) {
      receipt.that(
          false,
          isRecord
              ? "something here is verified; this record is covered by the log only, give its --proof"
              : "something here is verified");
    }
    return new Result(receipt.sound, List.copyOf(receipt.lines));
  }

  /** Checks the unsigned members of a response, because its readers see them first. */
  private void beside(JsonObject answer, JsonObject decision, boolean placed) {
    var open = new ArrayList<String>();
    if (answer.object("decision").isPresent()) {
      JsonObject signed =
          decision.has(DecisionJson.ALLOW)
              ? decision.with("verified", JsonBoolean.of(decision.isTrue(DecisionJson.ALLOW)))
              : decision;
      same(answer, signed, "what stands beside the decision is what it says");
      answer.names().stream()
          .filter(name -> !signed.has(name) && !name.equals("decision") && !name.equals("proof"))
          .forEach(open::add);
    }
    if (decision.has(DecisionJson.LOG_INDEX) && !placed) {
      open.add(DecisionJson.LOG_INDEX);
    }
    notChecked(open, "the decision's signature does not cover it");
  }

  /** Checks the members of a record around its body; only the body is signed. */
  private void record(JsonObject record, boolean proved) {
    var open = new ArrayList<String>(record.names());
    if (record.string("kind").equals(Optional.of(RecordKind.DECISION.wire()))) {
      JsonObject signed = inRecord(record.object("body").orElse(JsonObject.EMPTY));
      same(record, signed, "the record says what its body says");
      open.removeAll(signed.names());
      open.removeAll(List.of("kind", "body", DecisionJson.SIGNATURE));
    }
    if (!proved) {
      notChecked(open, "only the log covers the whole record, give its --proof");
    }
  }

  /** Returns the members of a decision, with the names of its record. */
  static JsonObject inRecord(JsonObject body) {
    JsonObject.Builder named = JsonObject.builder();
    IN_RECORD.forEach((inBody, inRecord) -> {
      JsonValue value = body.get(inBody);
      if (value != null) {
        named.put(inRecord, value);
      }
    });
    named.putIfPresent("code", DecisionJson.reason(body).map(Decision.Reason::code));
    return named.build();
  }

  private void same(JsonObject shown, JsonObject signed, String what) {
    List<String> other =
        signed.names().stream()
            .filter(name -> shown.has(name) && !Objects.equals(shown.get(name), signed.get(name)))
            .toList();
    that(other.isEmpty(), other.isEmpty() ? what : what + " (" + String.join(", ", other) + ")");
  }

  private void notChecked(List<String> names, String why) {
    if (!names.isEmpty()) {
      lines.add("not checked: " + String.join(", ", names) + "; " + why);
    }
  }

  private static JsonObject withSignature(JsonObject body, JsonObject record) {
    return record.string(DecisionJson.SIGNATURE).isPresent()
        ? body.toBuilder()
            .putIfPresent(DecisionJson.SIGNATURE, record.string(DecisionJson.SIGNATURE))
            .build()
        : body;
  }

  private void decision(JsonObject decision) {
    byte[] message = CanonicalJson.bytes(DecisionJson.signed(decision));
    boolean signed =
        decision
            .string(DecisionJson.KID)
            .flatMap(kid ->
                decision
                    .string(DecisionJson.SIGNATURE)
                    .flatMap(DecisionJson::signature)
                    .filter(bytes -> keys.decision(kid, message, bytes)))
            .isPresent();
    verified |= signed;
    that(
        signed,
        decision
            .string(DecisionJson.DECISION_ID)
            .map(id ->
                decision
                    .string(DecisionJson.KID)
                    .map(kid ->
                        keys.has(kid)
                            ? "the decision " + id + " is signed by " + kid
                            : "the key set, which lacks revoked keys, has the key "
                                + kid
                                + " of the decision "
                                + id)
                    .orElse("the decision " + id + " names the key that signed it"))
            .orElse("the file is a decision"));
  }

  /** Returns whether the proof shows the whole record to be in the log. */
  private boolean inclusion(InclusionText proof, Optional<JsonObject> record, JsonObject decision) {
    Optional<SignedNote> note = SignedNote.parse(proof.checkpoint());
    Optional<Checkpoint> checkpoint = note.map(SignedNote::text).flatMap(Checkpoint::parse);
    if (note.isEmpty() || checkpoint.isEmpty()) {
      that(false, "the proof's checkpoint can be read");
      return false;
    }
    boolean signed = keys.signed(note.get(), checkpoint.get().origin());
    that(
        signed,
        "the checkpoint of " + checkpoint.get().size() + " records is signed by the log's key");
    if (proof.size().isPresent()) {
      that(
          proof.size().get() == checkpoint.get().size(),
          "the tree_size of the proof is the size in its checkpoint");
    }
    JsonObject placed = record.orElse(decision);
    that(
        placed.get(DecisionJson.LOG_INDEX) instanceof JsonNumber number
            && number.value() == proof.index(),
        "the proof is for its place in the log");
    Optional<byte[]> leaf = record.flatMap(Receipt::leaf);
    if (leaf.isEmpty()) {
      lines.add(
          "not checked: that it is in the log; the leaf is made from the whole record"
              + " (GET /api/audit/{record_id}) with its salt, give it with --record");
      that(false, "the proof shows the record to be in the log");
      return false;
    }
    if (proof.leaf().isPresent()) {
      that(
          proof.leaf().get().equals(HexFormat.of().formatHex(leaf.get())),
          "the leaf_hash of the proof is the record's");
    }
    if (proof.salt().isPresent()) {
      that(
          proof.salt().equals(record.flatMap(whole -> whole.string("salt"))),
          "the extra data of the proof is the record's salt");
    }
    boolean included =
        Proofs.includes(
            leaf.get(),
            proof.index(),
            checkpoint.get().size(),
            proof.path(),
            checkpoint.get().root());
    that(included, "the record is number " + proof.index() + " of the log");
    verified |= signed && included;
    return signed && included;
  }

  /** Returns the leaf of a record as shown; empty for an erased record. */
  public static Optional<byte[]> leaf(JsonObject record) {
    Optional<String> salt = record.string("salt").filter(text -> text.matches("[0-9a-f]{32}"));
    if (salt.isEmpty()) {
      return Optional.empty();
    }
    byte[] canonical = CanonicalJson.bytes(record.without("salt").without(DecisionJson.LOG_INDEX));
    byte[] digest = Sha256.of(canonical);
    var entry = Sha256.begin();
    entry.update(HexFormat.of().parseHex(salt.get()));
    return Optional.of(TreeHash.leaf(entry.digest(digest)));
  }

  private void that(boolean holds, String what) {
    sound &= holds;
    lines.add((holds ? "ok: " : "FAULT, this does not hold: ") + what);
  }
}
