package dev.safeconduct.audit;

import dev.safeconduct.audit.tlog.Checkpoint;
import dev.safeconduct.audit.tlog.Proofs;
import dev.safeconduct.audit.tlog.SignedNote;
import dev.safeconduct.audit.tlog.TreeHash;
import dev.safeconduct.digest.Sha256;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Checks what this service has answered with nothing but its public keys: a decision, a record, and
 * that they are in the log.
 */
public final class Receipt {
  private static final String SIGNATURE = "ed25519:";

  /** Members of a decision, and what its record calls them. */
  private static final Map<String, String> IN_RECORD =
      Map.of(
          "decision_id", "record_id",
          "owner_id", "org_id",
          "issued_at", "at",
          "agent_id", "agent_id",
          "policy_id", "policy_id",
          "allow", "allow");

  private final SignatureCheck keys;
  private final List<String> lines = new ArrayList<>();
  private boolean sound = true;

  private Receipt(SignatureCheck keys) {
    this.keys = keys;
  }

  /**
   * What was found.
   *
   * @param sound whether everything that could be checked was right, and there was something
   * @param lines one for each check: {@code ok}, {@code FAULT} or {@code not checked}
   */
  public record Result(boolean sound, List<String> lines) {}

  /**
   * Checks an answer.
   *
   * @param answer a decision as any call answers it, or a record
   * @param record the record of that decision, if it is at hand
   * @param proof from {@code /api/audit/{record_id}/proof} or as C2SP tlog-proof; else the answer's
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
      receipt.that(
          body.equals(decision.without("signature").without("log_index")),
          "the record is this decision's");
    }
    Optional<InclusionText> shown =
        proof.or(() -> answer.string("proof").flatMap(InclusionText::parse));
    if (answer.string("proof").isPresent() && shown.isEmpty()) {
      receipt.that(false, "the proof can be read");
    }
    if (!isRecord) {
      receipt.beside(answer, decision, shown.isPresent());
    }
    boolean proved = shown.isPresent() && receipt.inclusion(shown.get(), theRecord, decision);
    theRecord.ifPresent(whole -> receipt.record(whole, proved));
    return new Result(receipt.sound, List.copyOf(receipt.lines));
  }

  /** What an answer says outside the object that is signed: who reads it reads that first. */
  private void beside(JsonObject answer, JsonObject decision, boolean placed) {
    var open = new ArrayList<String>();
    if (answer.object("decision").isPresent()) {
      JsonObject signed =
          decision.has("allow")
              ? decision.with("verified", JsonBoolean.of(decision.isTrue("allow")))
              : decision;
      same(answer, signed, "what stands beside the decision is what it says");
      answer.names().stream()
          .filter(name -> !signed.has(name) && !name.equals("decision") && !name.equals("proof"))
          .forEach(open::add);
    }
    if (decision.has("log_index") && !placed) {
      open.add("log_index");
    }
    notChecked(open, "the decision's signature does not cover it");
  }

  /** What a record says around its body, which alone is signed. */
  private void record(JsonObject record, boolean proved) {
    var open = new ArrayList<String>(record.names());
    if (record.string("kind").equals(Optional.of(RecordKind.DECISION.wire()))) {
      JsonObject signed = inRecord(record.object("body").orElse(JsonObject.EMPTY));
      same(record, signed, "the record says what its body says");
      open.removeAll(signed.names());
      open.removeAll(List.of("kind", "body", "signature"));
    }
    if (!proved) {
      notChecked(open, "only the log covers the whole record, give its --proof");
    }
  }

  /** What a decision says, in the names of its record. */
  private static JsonObject inRecord(JsonObject body) {
    JsonObject.Builder named = JsonObject.builder();
    IN_RECORD.forEach((inBody, inRecord) -> {
      JsonValue value = body.get(inBody);
      if (value != null) {
        named.put(inRecord, value);
      }
    });
    if (body.array("reasons").filter(all -> all.size() > 0).map(all -> all.get(0)).orElse(null)
        instanceof JsonObject reason) {
      named.putIfPresent("code", reason.string("code"));
    }
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
    return record.string("signature").isPresent()
        ? body.toBuilder().putIfPresent("signature", record.string("signature")).build()
        : body;
  }

  private void decision(JsonObject decision) {
    byte[] message = CanonicalJson.bytes(decision.without("signature").without("log_index"));
    boolean signed =
        decision
            .string("kid")
            .flatMap(kid ->
                decision
                    .string("signature")
                    .filter(text -> text.startsWith(SIGNATURE))
                    .flatMap(text -> decoded(text.substring(SIGNATURE.length())))
                    .filter(bytes -> keys.decision(kid, message, bytes)))
            .isPresent();
    that(
        signed,
        "the decision "
            + decision.string("decision_id").orElse("?")
            + " is signed by "
            + decision.string("kid").orElse("?"));
  }

  /** Whether the whole record was found to be in the log, or found not to be. */
  private boolean inclusion(InclusionText proof, Optional<JsonObject> record, JsonObject decision) {
    Optional<SignedNote> note = SignedNote.parse(proof.checkpoint());
    Optional<Checkpoint> checkpoint = note.map(SignedNote::text).flatMap(Checkpoint::parse);
    if (note.isEmpty() || checkpoint.isEmpty()) {
      that(false, "the proof's checkpoint can be read");
      return false;
    }
    boolean signed =
        note.get().lines().stream()
            .anyMatch(line ->
                line.name().equals(checkpoint.get().origin())
                    && keys.checkpoint(
                        line.name(), line.keyHash(), note.get().signedBytes(), line.signature()));
    that(
        signed,
        "the checkpoint of " + checkpoint.get().size() + " records is signed by the log's key");
    JsonObject placed = record.orElse(decision);
    that(
        placed.get("log_index") instanceof JsonNumber number
            && (long) number.value() == proof.index(),
        "the proof is for its place in the log");
    Optional<byte[]> leaf = record.flatMap(Receipt::leaf);
    if (leaf.isEmpty()) {
      lines.add(
          "not checked: that it is in the log; the leaf is made from the whole record"
              + " (GET /api/audit/{record_id}), give it with --record");
      return false;
    }
    that(
        Proofs.includes(
            leaf.get(),
            proof.index(),
            checkpoint.get().size(),
            proof.path(),
            checkpoint.get().root()),
        "the record is number " + proof.index() + " of the log");
    return true;
  }

  /** The leaf of a record as it is shown; none of an erased one. */
  private static Optional<byte[]> leaf(JsonObject record) {
    Optional<String> salt = record.string("salt").filter(text -> text.matches("[0-9a-f]{32}"));
    if (salt.isEmpty()) {
      return Optional.empty();
    }
    byte[] canonical = CanonicalJson.bytes(record.without("salt").without("log_index"));
    byte[] digest = Sha256.of(canonical);
    var entry = Sha256.begin();
    entry.update(HexFormat.of().parseHex(salt.get()));
    return Optional.of(TreeHash.leaf(entry.digest(digest)));
  }

  private void that(boolean holds, String what) {
    sound &= holds;
    lines.add((holds ? "ok: " : "FAULT, this does not hold: ") + what);
  }

  private static Optional<byte[]> decoded(String base64) {
    try {
      return Optional.of(Base64.getDecoder().decode(base64));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
