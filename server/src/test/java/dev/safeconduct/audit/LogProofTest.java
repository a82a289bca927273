package dev.safeconduct.audit;

import static dev.safeconduct.testkit.Questions.COMMAND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.testkit.Calls;
import dev.safeconduct.testkit.EachStore;
import dev.safeconduct.testkit.Questions;
import dev.safeconduct.testkit.Reply;
import dev.safeconduct.testkit.TestService;
import dev.safeconduct.tlog.Checkpoint;
import dev.safeconduct.tlog.Proofs;
import dev.safeconduct.tlog.SignedNote;
import dev.safeconduct.tlog.TreeHash;
import dev.sigstore.merkle.InclusionProofVerificationException;
import dev.sigstore.merkle.InclusionProofVerifier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.erdtman.jcs.JsonCanonicalizer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An auditor who trusts nothing but the log's public key: leaves are made again by somebody else's
 * RFC 8785, proofs checked by sigstore, checkpoints by the platform's own Ed25519.
 */
final class LogProofTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final byte[] KEY_PREFIX = HEX.parseHex("302a300506032b6570032100");

  @AutoClose
  private static final EachStore.Services services = new EachStore.Services(InstantSource.system());

  private static Reply ask(TestService service, String agent, String query) {
    return service
        .owner()
        .post(
            COMMAND + query,
            Calls.json(
                "{'context': {'agent_id': '" + agent + "', 'command': 'git status', 'n': 1e21}}"));
  }

  private static byte[] sha256(byte[]... parts) throws GeneralSecurityException {
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    for (byte[] part : parts) {
      sha.update(part);
    }
    return sha.digest();
  }

  /** The leaf of the record as the audit call shows it. */
  private static byte[] leaf(JsonObject record) throws GeneralSecurityException, IOException {
    byte[] salt = HEX.parseHex(record.string("salt").orElseThrow());
    String shown = Json.text(record.without("salt").without("log_index"));
    byte[] canonical = new JsonCanonicalizer(shown).getEncodedUTF8();
    return sha256(new byte[] {0}, sha256(salt, sha256(canonical)));
  }

  /** The checkpoint of a note that the log's key has signed. */
  private static Checkpoint checked(TestService service, String text)
      throws GeneralSecurityException {
    String[] key =
        service.nobody().get("/api/audit/log/verifier-key").text().strip().split("\\+", -1);
    // Base64 has plus signs of its own: all behind the second one is the key.
    byte[] typed =
        Base64.getDecoder().decode(String.join("+", Arrays.asList(key).subList(2, key.length)));
    assertThat(typed).hasSize(33).startsWith(1);
    byte[] raw = Arrays.copyOfRange(typed, 1, 33);
    byte[] encoded = Arrays.copyOf(KEY_PREFIX, KEY_PREFIX.length + 32);
    System.arraycopy(raw, 0, encoded, KEY_PREFIX.length, 32);
    SignedNote note = SignedNote.parse(text).orElseThrow();
    SignedNote.Line line = note.lines().getFirst();
    assertThat(line.name()).isEqualTo(key[0]);
    assertThat(HEX.formatHex(line.keyHash())).isEqualTo(key[1]);
    Signature signature = Signature.getInstance("Ed25519", "SunEC");
    signature.initVerify(
        KeyFactory.getInstance("Ed25519", "SunEC").generatePublic(new X509EncodedKeySpec(encoded)));
    signature.update(note.text().getBytes(StandardCharsets.UTF_8));
    assertThat(signature.verify(line.signature())).isTrue();
    Checkpoint checkpoint = Checkpoint.parse(note.text()).orElseThrow();
    assertThat(checkpoint.origin()).isEqualTo(key[0]);
    return checkpoint;
  }

  private static long number(JsonObject json, String name) {
    return Long.parseLong(Json.text(Objects.requireNonNull(json.get(name), name)));
  }

  private static List<byte[]> hashes(JsonObject json, String name) {
    var all = new ArrayList<byte[]>();
    json.array(name)
        .orElseThrow()
        .forEach(hash -> all.add(HEX.parseHex(((JsonString) hash).value())));
    return all;
  }

  @ParameterizedTest
  @EnumSource
  void everyRecordIsProvedFromWhatIsShownOfIt(EachStore store) throws Exception {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 5);
    for (int i = 0; i < 12; i++) {
      assertThat(ask(service, agent, "").status()).isEqualTo(200);
    }
    for (var shown :
        service.admin().get("/api/audit?limit=200").json().array("records").orElseThrow()) {
      JsonObject record = (JsonObject) shown;
      String id = record.string("record_id").orElseThrow();
      JsonObject proof = service.admin().get("/api/audit/" + id + "/proof").json();
      Checkpoint checkpoint = checked(service, proof.string("checkpoint").orElseThrow());
      byte[] leaf = leaf(record);
      assertThat(proof.string("leaf_hash")).contains(HEX.formatHex(leaf));
      assertThat(proof.get("index")).isEqualTo(record.get("log_index"));
      long index = number(proof, "index");
      assertThat(number(proof, "tree_size")).isEqualTo(checkpoint.size());
      List<byte[]> path = hashes(proof, "inclusion_path");
      assertThatCode(() ->
              InclusionProofVerifier.verify(
                  leaf, index, checkpoint.size(), path, checkpoint.root()))
          .doesNotThrowAnyException();
      leaf[5] ^= 4;
      assertThatThrownBy(() ->
              InclusionProofVerifier.verify(
                  leaf, index, checkpoint.size(), path, checkpoint.root()))
          .isInstanceOf(InclusionProofVerificationException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aVerifyAnswerCarriesItsProofWhenAsked(EachStore store) throws Exception {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 5);
    assertThat(ask(service, agent, "").json().has("proof")).isFalse();
    Reply asked = ask(service, agent, "?proof=true");
    String[] halves = asked.string("proof").split("\n\n", 2);
    List<String> lines = halves[0].lines().toList();
    assertThat(lines.get(0)).isEqualTo("c2sp.org/tlog-proof@v1");
    byte[] salt = Base64.getDecoder().decode(lines.get(1).substring("extra ".length()));
    long index = Long.parseLong(lines.get(2).substring("index ".length()));
    List<byte[]> path = lines.stream().skip(3).map(Base64.getDecoder()::decode).toList();
    Checkpoint checkpoint = checked(service, halves[1]);
    JsonObject record = service.owner().get("/api/audit/" + asked.string("decision_id")).json();
    assertThat(record.string("salt")).contains(HEX.formatHex(salt));
    InclusionProofVerifier.verify(leaf(record), index, checkpoint.size(), path, checkpoint.root());
    assertThat(ask(service, agent, "?proof=yes").status()).isEqualTo(400);
  }

  @ParameterizedTest
  @EnumSource
  void theOlderLogIsAPrefixOfTodays(EachStore store) throws Exception {
    TestService service = services.on(store);
    String agent = Questions.hosted(service, 5);
    Checkpoint older = checked(service, service.owner().get("/api/audit/checkpoint").text());
    String last = "";
    for (int i = 0; i < 9; i++) {
      last = ask(service, agent, "?proof=true").string("proof");
    }
    Checkpoint newer = checked(service, last.split("\n\n", 2)[1]);
    assertThat(newer.size()).isGreaterThan(older.size());
    JsonObject proof =
        service
            .owner()
            .get("/api/audit/consistency?from=" + older.size() + "&to=" + newer.size())
            .json();
    List<byte[]> path = hashes(proof, "consistency_path");
    assertThat(Proofs.consistent(older.size(), older.root(), newer.size(), newer.root(), path))
        .isTrue();
    byte[] other = older.root().clone();
    other[0] ^= 1;
    assertThat(Proofs.consistent(older.size(), other, newer.size(), newer.root(), path)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void anybodyCanMakeTheRootFromTheTiles(EachStore store) throws Exception {
    TestService service = services.on(store);
    Questions.hosted(service, 5);
    Checkpoint checkpoint =
        checked(service, service.nobody().get("/api/audit/log/checkpoint").text());
    assertThat(checkpoint.size()).isBetween(2L, 255L);
    var reply = service.nobody().get("/api/audit/log/tile/0/000.p/" + checkpoint.size());
    assertThat(reply.header("Cache-Control"))
        .hasValueSatisfying(text -> assertThat(text).contains("immutable"));
    byte[] tile = reply.body();
    // C2SP tlog-tiles: entries behind their length.
    ByteBuffer entries =
        ByteBuffer.wrap(
            service.nobody().get("/api/audit/log/tile/entries/000.p/" + checkpoint.size()).body());
    var leaves = new ArrayList<byte[]>();
    for (int i = 0; i < checkpoint.size(); i++) {
      leaves.add(Arrays.copyOfRange(tile, i * 32, i * 32 + 32));
      var entry = new byte[entries.getShort()];
      entries.get(entry);
      assertThat(TreeHash.leaf(entry)).isEqualTo(leaves.getLast());
    }
    assertThat(entries.hasRemaining()).isFalse();
    assertThat(root(leaves)).isEqualTo(checkpoint.root());
    assertThat(service.nobody().get("/api/audit/log/tile/0/000").status()).isEqualTo(404);
  }

  private static byte[] root(List<byte[]> leaves) {
    if (leaves.size() == 1) {
      return leaves.getFirst();
    }
    int k = Integer.highestOneBit(leaves.size() - 1);
    return TreeHash.node(root(leaves.subList(0, k)), root(leaves.subList(k, leaves.size())));
  }

  @Test
  void theLogCanBeClosedToTheirEyes() {
    try (TestService closed = TestService.start(Map.of("AUDIT_LOG_PUBLIC", "false"))) {
      assertThat(closed.nobody().get("/api/audit/log/checkpoint").status()).isEqualTo(401);
      assertThat(closed.nobody().get("/api/audit/log/tile/0/000.p/1").status()).isEqualTo(401);
      assertThat(closed.owner().get("/api/audit/log/checkpoint").status()).isEqualTo(200);
    }
  }
}
