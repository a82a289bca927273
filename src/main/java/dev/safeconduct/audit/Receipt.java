package dev.safeconduct.audit;

import dev.safeconduct.audit.tlog.Checkpoint;
import dev.safeconduct.audit.tlog.Proofs;
import dev.safeconduct.audit.tlog.SignedNote;
import dev.safeconduct.audit.tlog.TreeHash;
import dev.safeconduct.digest.Sha256;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Checks what this service has answered with nothing but its public keys: a decision, a record, and
 * that they are in the log.
 */
public final class Receipt {
  private static final String SIGNATURE = "ed25519:";

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
    shown.ifPresent(text -> receipt.inclusion(text, theRecord, decision));
    return new Result(receipt.sound, List.copyOf(receipt.lines));
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

  private void inclusion(InclusionText proof, Optional<JsonObject> record, JsonObject decision) {
    Optional<SignedNote> note = SignedNote.parse(proof.checkpoint());
    Optional<Checkpoint> checkpoint = note.map(SignedNote::text).flatMap(Checkpoint::parse);
    if (note.isEmpty() || checkpoint.isEmpty()) {
      that(false, "the proof's checkpoint can be read");
      return;
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
      return;
    }
    that(
        Proofs.includes(
            leaf.get(),
            proof.index(),
            checkpoint.get().size(),
            proof.path(),
            checkpoint.get().root()),
        "the record is number " + proof.index() + " of the log");
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
