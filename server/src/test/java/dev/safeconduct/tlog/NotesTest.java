package dev.safeconduct.tlog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts of a log: signed notes, checkpoints, the names of tiles. */
final class NotesTest {
  @Test
  void aNoteIsReadBackAsItWasWritten() {
    var checkpoint = new Checkpoint("log.example/api/audit/log", 7, TreeHash.empty());
    var line =
        new SignedNote.Line("log.example/api/audit/log", new byte[] {1, 2, 3, 4}, new byte[64]);
    var witness = new SignedNote.Line("witness.example", new byte[] {9, 9, 9, 9}, new byte[72]);
    var note = new SignedNote(checkpoint.text(), List.of(line, witness));
    SignedNote read = SignedNote.parse(note.encoded()).orElseThrow();
    assertThat(read.encoded()).isEqualTo(note.encoded());
    assertThat(Checkpoint.parse(read.text()).orElseThrow().text()).isEqualTo(checkpoint.text());
    assertThat(note.encoded())
        .startsWith(
            "log.example/api/audit/log\n7\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n"
                + "— log.example/api/audit/log AQIDBAAA")
        .endsWith("=\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n\n", "a\n\n", "a\n\n\n", "a\n\nb\n\n", "a\n", "\n", ""})
  void aTextWithoutSignaturesIsNoNote(String text) {
    assertThat(SignedNote.parse(text)).isEmpty();
  }

  /** Whatever bit of a note is flipped, it is not signed by its log any more. */
  @Test
  void everyFlippedBitOfANoteIsNoticed() throws Exception {
    var keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] encoded = keys.getPublic().getEncoded();
    byte[] key = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
    String origin = "log.example/api/audit/log";
    var unsigned = new SignedNote(new Checkpoint(origin, 7, TreeHash.empty()).text(), List.of());
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(keys.getPrivate());
    signature.update(unsigned.signedBytes());
    byte[] hash = SignedNote.keyHash(origin, SignedNote.ED25519, key);
    var line = new SignedNote.Line(origin, hash, signature.sign());
    byte[] note =
        new SignedNote(unsigned.text(), List.of(line)).encoded().getBytes(StandardCharsets.UTF_8);
    assertThat(signed(note, hash, keys.getPublic())).isTrue();
    for (int bit = 0; bit < note.length * 8; bit++) {
      byte[] altered = note.clone();
      altered[bit / 8] ^= (byte) (1 << (bit % 8));
      assertThat(signed(altered, hash, keys.getPublic())).as("bit " + bit).isFalse();
    }
  }

  private static boolean signed(byte[] text, byte[] hash, PublicKey key) throws Exception {
    Optional<SignedNote> note = SignedNote.parse(new String(text, StandardCharsets.UTF_8));
    Optional<Checkpoint> checkpoint = note.map(SignedNote::text).flatMap(Checkpoint::parse);
    if (note.isEmpty() || checkpoint.isEmpty()) {
      return false;
    }
    for (SignedNote.Line line : note.get().lines()) {
      if (line.name().equals(checkpoint.get().origin())
          && Arrays.equals(line.keyHash(), hash)
          && line.signature().length == 64) {
        Signature verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(key);
        verifier.update(note.get().signedBytes());
        try {
          return verifier.verify(line.signature());
        } catch (SignatureException e) {
          return false;
        }
      }
    }
    return false;
  }

  /** The key of the example in C2SP signed-note's Go package. */
  @Test
  void aVerifierKeyNamesTheKeyAsOthersDo() {
    byte[] key =
        HexFormat.of().parseHex("17bb2eafdd4e3d0b40e5ff9a5a5a4a4f8b1e2d3c4b5a69788796a5b4c3d2e1f0");
    String text = SignedNote.verifierKey("PeterNeumann", key);
    assertThat(text).startsWith("PeterNeumann+").matches("PeterNeumann\\+[0-9a-f]{8}\\+A.+=*");
    assertThat(
            HexFormat.of().formatHex(SignedNote.keyHash("PeterNeumann", SignedNote.ED25519, key)))
        .isEqualTo(text.split("\\+", -1)[1]);
  }

  @ParameterizedTest
  @CsvSource({
    "0,0,256,0/000",
    "0,67,8,0/067.p/8",
    "0,1067,256,0/x001/067",
    "3,1234067,256,3/x001/x234/067",
    "-1,5,1,entries/005.p/1"
  })
  void tilesHaveTheNamesOfTheStandard(int level, long index, int width, String path) {
    assertThat(new Tile(level, index, width).path()).isEqualTo(path);
    assertThat(Tile.parse(path)).contains(new Tile(level, index, width));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "0/",
        "0/1",
        "0/0001",
        "x/000",
        "-1/000",
        "9/000",
        "0/x000/001",
        "0/001.p/0",
        "0/001.p/256",
        "0/001.p/257",
        "0/001.p/",
        "0/001/",
        "../000",
        "0/x1/001",
        "00/000",
        "0/x001/x002/x003/x004/x005/x006/x007/008",
        "entries"
      })
  void otherNamesAreNoTiles(String path) {
    assertThat(Tile.parse(path)).isEmpty();
  }

  @RandomTest
  void anyTextIsANoteOrNone(RandomCase random) {
    String text = random.anyText();
    SignedNote.parse(text).ifPresent(note -> assertThat(note.encoded()).isEqualTo(text));
    Checkpoint.parse(text);
    assertThat(Tile.parse(text).map(Tile::path)).isIn(Optional.empty(), Optional.of(text));
  }
}
