package dev.safeconduct.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks that need no network: decisions, decision tokens and receipts of the audit log. */
public final class Verification {
  private static final int LONGEST_TOKEN_SECONDS = 30;
  private static final int CLOCK_DIFFERENCE_SECONDS = 5;
  private static final HexFormat HEX = HexFormat.of();

  /** Members of a record that repeat those of its decision. */
  private static final Map<String, String> COPIES =
      Map.of(
          "record_id", "decision_id",
          "org_id", "owner_id",
          "at", "issued_at",
          "agent_id", "agent_id",
          "policy_id", "policy_id",
          "allow", "allow");

  private Verification() {}

  /**
   * What a token must allow; null members are not compared.
   *
   * @param contextDigest {@link Canonical#digest} of the context of the action at hand
   * @param agentId the agent that acts
   * @param policy the policy you enforce
   * @param issuer the service's public address
   * @param audience your organization's id
   * @param now seconds since 1970
   */
  public record TokenExpectation(
      String contextDigest,
      @Nullable String agentId,
      @Nullable String policy,
      @Nullable String issuer,
      @Nullable String audience,
      double now) {

    /** Returns the expectation for an action, at this moment. */
    public static TokenExpectation of(Action action) {
      return new TokenExpectation(
          Canonical.digest(action.context()),
          action.agentId(),
          action.policy(),
          null,
          null,
          System.currentTimeMillis() / 1000.0);
    }
  }

  /**
   * Returns whether the service signed this decision. A true answer says that the decision is
   * genuine, not that it allows, or that it is still valid.
   *
   * @param decision an answer of the verify operation in any form, in JSON
   */
  public static boolean verifyDecision(byte[] decision, KeySet keys) {
    try {
      return isGenuine(Decision.signedObject(Json.object(Json.parse(decision))), keys);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** As {@link #verifyDecision(byte[], KeySet)}. */
  public static boolean verifyDecision(Decision decision, KeySet keys) {
    return isGenuine(decision.raw(), keys);
  }

  static boolean isGenuine(Map<String, @Nullable Object> decision, KeySet keys) {
    var signed = new LinkedHashMap<String, @Nullable Object>(decision);
    Object signature = signed.remove("signature");
    signed.remove("log_index");
    byte[] key = keys.find(signed.get("kid"), "decision");
    if (key == null || !(signature instanceof String text) || !text.startsWith("ed25519:")) {
      return false;
    }
    try {
      return keys.isSigned(
          key, Canonical.of(signed), KeySet.base64(text.substring("ed25519:".length())));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Returns the claims of a decision token if it allows this action. A token says nothing about a
   * suspension in the last 30 seconds; follow the stream of revocations for that.
   */
  public static Optional<Map<String, @Nullable Object>> verifyToken(
      String token, KeySet keys, TokenExpectation expected) {
    try {
      String[] parts = token.split("\\.", -1);
      if (parts.length != 3) {
        return Optional.empty();
      }
      Map<String, @Nullable Object> header = Json.object(Json.parse(KeySet.base64Url(parts[0])));
      Map<String, @Nullable Object> claims = Json.object(Json.parse(KeySet.base64Url(parts[1])));
      byte[] key = keys.find(header.get("kid"), "decision_token");
      byte[] signed = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
      boolean valid =
          key != null
              && "EdDSA".equals(header.get("alg"))
              && "decision+jwt".equals(header.get("typ"))
              && !header.containsKey("crit")
              && keys.isSigned(key, signed, KeySet.base64Url(parts[2]))
              && Boolean.TRUE.equals(claims.get("allow"))
              && expected.contextDigest().equals(claims.get("context_digest"))
              && isExpected(expected.agentId(), claims.get("sub"))
              && isExpected(expected.policy(), claims.get("policy_id"))
              && isExpected(expected.issuer(), claims.get("iss"))
              && isExpected(expected.audience(), claims.get("aud"))
              && isTimely(claims, expected.now());
      return valid ? Optional.of(claims) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean isExpected(@Nullable String expected, @Nullable Object claim) {
    return expected == null || expected.equals(claim);
  }

  private static boolean isTimely(Map<String, @Nullable Object> claims, double now) {
    if (!(claims.get("iat") instanceof Number issuedAt)
        || !(claims.get("exp") instanceof Number expiresAt)) {
      return false;
    }
    double issued = issuedAt.doubleValue();
    double expires = expiresAt.doubleValue();
    return expires - issued <= LONGEST_TOKEN_SECONDS
        && now < expires
        && now >= issued - CLOCK_DIFFERENCE_SECONDS;
  }

  /**
   * Returns whether an audit record is in the log that a signed checkpoint describes. Checks the
   * leaf (RFC 6962 section 2.1), the path, the checkpoint's signature (C2SP signed note) and, if
   * the record is a decision, its signature.
   *
   * @param record an answer of {@code GET /api/audit/{record_id}}, in JSON
   * @param proof an answer of its {@code /proof} in JSON, or the text of a C2SP tlog-proof
   * @param decision a decision that must be that of the record, in JSON; null for none
   */
  public static boolean verifyReceipt(
      byte[] record, byte[] proof, byte @Nullable [] decision, KeySet keys) {
    try {
      var members = new LinkedHashMap<String, @Nullable Object>(Json.object(Json.parse(record)));
      byte[] salt = hex(members.get("salt"), 16);
      long index = Json.whole(members, "log_index");
      members.remove("salt");
      Object logIndex = members.remove("log_index");
      byte[] entry = Canonical.sha256(salt, Canonical.sha256(Canonical.of(members)));
      byte[] leaf = Canonical.sha256(new byte[] {0}, entry);
      Proof read = Proof.parse(proof, leaf, salt);
      byte[] root = root(leaf, index, read.treeSize(), read.path());
      return read.index() == index
          && read.leafHash().equals(HEX.formatHex(leaf))
          && root != null
          && isCheckpoint(read.checkpoint(), read.treeSize(), root, keys)
          && isItsDecision(members, logIndex, decision, keys);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isItsDecision(
      Map<String, @Nullable Object> record,
      @Nullable Object logIndex,
      byte @Nullable [] decision,
      KeySet keys) {
    if (!"decision".equals(record.get("kind"))) {
      return decision == null;
    }
    Map<String, @Nullable Object> body = Json.object(record.get("body"));
    var recorded = new LinkedHashMap<String, @Nullable Object>(body);
    recorded.put("log_index", logIndex);
    recorded.put("signature", record.get("signature"));
    return COPIES.entrySet().stream()
            .allMatch(copy ->
                record.get(copy.getKey()) != null
                    && record.get(copy.getKey()).equals(body.get(copy.getValue())))
        && (decision == null
            || Arrays.equals(
                Canonical.of(Decision.signedObject(Json.object(Json.parse(decision)))),
                Canonical.of(recorded)))
        && isGenuine(recorded, keys);
  }

  private static byte[] hex(@Nullable Object value, int length) {
    byte[] data = HEX.parseHex(String.valueOf(value));
    if (data.length != length || !HEX.formatHex(data).equals(value)) {
      throw new InvalidAnswer("not canonical hexadecimal");
    }
    return data;
  }

  /** Returns the root that an inclusion path leads to (RFC 9162 section 2.1.3.2). */
  private static byte @Nullable [] root(byte[] leaf, long index, long size, List<byte[]> path) {
    if (index < 0 || index >= size) {
      return null;
    }
    byte[] node = leaf;
    long at = index;
    long last = size - 1;
    for (byte[] sibling : path) {
      if (sibling.length != 32 || last == 0) {
        return null;
      }
      if ((at & 1) == 1 || at == last) {
        node = Canonical.sha256(new byte[] {1}, sibling, node);
        while (at != 0 && (at & 1) == 0) {
          at >>= 1;
          last >>= 1;
        }
      } else {
        node = Canonical.sha256(new byte[] {1}, node, sibling);
      }
      at >>= 1;
      last >>= 1;
    }
    return last == 0 ? node : null;
  }

  private static boolean isCheckpoint(String note, long size, byte[] root, KeySet keys) {
    int end = note.indexOf("\n\n");
    if (end < 0 || end + 2 >= note.length() || !note.endsWith("\n")) {
      return false;
    }
    String[] lines = note.substring(0, end).split("\n", -1);
    if (lines.length < 3
        || !lines[1].equals(Long.toString(size))
        || !Arrays.equals(KeySet.base64(lines[2]), root)) {
      return false;
    }
    byte[] signed = note.substring(0, end + 1).getBytes(StandardCharsets.UTF_8);
    byte[] name = lines[0].getBytes(StandardCharsets.UTF_8);
    boolean verified = false;
    for (String line : note.substring(end + 2, note.length() - 1).split("\n", -1)) {
      int space = line.lastIndexOf(' ');
      if (!line.startsWith("\u2014 ") || space < 3) {
        return false;
      }
      if (!line.substring(2, space).equals(lines[0])) {
        continue; // a witness
      }
      byte[] signature = KeySet.base64(line.substring(space + 1));
      for (byte[] key : keys.of("checkpoint")) {
        // The key's id: C2SP signed-note, "Signatures", with the type of Ed25519.
        byte[] id = Canonical.sha256(name, new byte[] {'\n', 1}, key);
        if (signature.length >= 4 && Arrays.equals(id, 0, 4, signature, 0, 4)) {
          if (!keys.isSigned(key, signed, Arrays.copyOfRange(signature, 4, signature.length))) {
            return false;
          }
          verified = true;
        }
      }
    }
    return verified;
  }

  /** An inclusion proof in either of its forms. */
  private record Proof(
      long index, String leafHash, long treeSize, List<byte[]> path, String checkpoint) {

    static Proof parse(byte[] text, byte[] leaf, byte[] salt) {
      String decoded = new String(text, StandardCharsets.UTF_8);
      if (decoded.startsWith("c2sp.org/")) {
        return parseTlogProof(decoded, leaf, salt);
      }
      Map<String, @Nullable Object> proof = Json.object(Json.parse(text));
      var path = new ArrayList<byte[]>();
      if (!(proof.get("inclusion_path") instanceof List<?> hashes)) {
        throw new InvalidAnswer("inclusion_path is missing");
      }
      for (Object hash : hashes) {
        path.add(hex(hash, 32));
      }
      return new Proof(
          Json.whole(proof, "index"),
          Json.text(proof, "leaf_hash"),
          Json.whole(proof, "tree_size"),
          path,
          Json.text(proof, "checkpoint"));
    }

    private static Proof parseTlogProof(String text, byte[] leaf, byte[] salt) {
      int end = text.indexOf("\n\n");
      String[] lines = text.substring(0, Math.max(end, 0)).split("\n", -1);
      String extra = "extra " + Base64.getEncoder().encodeToString(salt);
      if (lines.length < 3
          || !lines[0].equals("c2sp.org/tlog-proof@v1")
          || !lines[1].equals(extra)
          || !lines[2].matches("index [0-9]{1,15}")) {
        throw new InvalidAnswer("not a proof of this record");
      }
      String checkpoint = text.substring(end + 2);
      String[] size = checkpoint.split("\n", 3);
      if (size.length < 3) {
        throw new InvalidAnswer("the checkpoint has no size");
      }
      var path = new ArrayList<byte[]>();
      for (int i = 3; i < lines.length; i++) {
        path.add(KeySet.base64(lines[i]));
      }
      return new Proof(
          Long.parseLong(lines[2].substring("index ".length())),
          HEX.formatHex(leaf),
          Long.parseLong(size[1]),
          path,
          checkpoint);
    }
  }
}
