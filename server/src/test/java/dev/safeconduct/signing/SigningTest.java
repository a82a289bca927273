package dev.safeconduct.signing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.Storage;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SigningTest {
  private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");
  private static final SecureRandom RANDOM = new SecureRandom();

  @TempDir Path folder;
  @TempDir Path data;

  /** RFC 8032 section 7.1, TEST 2. */
  @Test
  void signsAsTheRfcSays() {
    byte[] seed =
        HexFormat.of().parseHex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
    byte[] pkcs8 = HexFormat.of().parseHex("302e020100300506032b657004220420");
    byte[] encoded = java.util.Arrays.copyOf(pkcs8, pkcs8.length + 32);
    System.arraycopy(seed, 0, encoded, pkcs8.length, 32);
    byte[] publicKey =
        HexFormat.of().parseHex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    byte[] expected =
        HexFormat.of()
            .parseHex(
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                    + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    for (Ed25519 implementation : implementations()) {
      byte[] signature =
          new Signer(
                  "k", new MemoryKey(implementation, implementation.privateKey(encoded)), publicKey)
              .sign(new byte[] {0x72});
      assertThat(signature).as(implementation.providerName()).isEqualTo(expected);
      assertThat(implementation.verify(publicKey, new byte[] {0x72}, signature)).isTrue();
    }
  }

  @Test
  void anyFlippedBitIsNoticedByBothProviders() {
    byte[] message = "a decision".getBytes(StandardCharsets.UTF_8);
    for (Ed25519 maker : implementations()) {
      Ed25519.NewKey key = maker.generate();
      byte[] signature =
          new Signer("k", new MemoryKey(maker, maker.privateKey(key.pkcs8())), key.publicKey())
              .sign(message);
      for (Ed25519 checker : implementations()) {
        assertThat(checker.verify(key.publicKey(), message, signature)).isTrue();
        for (int bit = 0; bit < 512; bit += 7) {
          byte[] altered = signature.clone();
          altered[bit / 8] ^= (byte) (1 << (bit % 8));
          assertThat(checker.verify(key.publicKey(), message, altered)).isFalse();
        }
        assertThat(
                checker.verify(
                    key.publicKey(), "another".getBytes(StandardCharsets.UTF_8), signature))
            .isFalse();
        assertThat(checker.verify(new byte[31], message, signature)).isFalse();
        assertThat(checker.verify(key.publicKey(), message, new byte[63])).isFalse();
      }
    }
  }

  /** Who has a signature must not be able to make a second one of it (RFC 8032 section 5.1.7). */
  @Test
  void aSignatureHasOneSpelling() {
    BigInteger order =
        BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
    byte[] message = "one spelling".getBytes(StandardCharsets.UTF_8);
    for (Ed25519 checker : implementations()) {
      Ed25519.NewKey key = checker.generate();
      byte[] signature =
          new Signer("k", new MemoryKey(checker, checker.privateKey(key.pkcs8())), key.publicKey())
              .sign(message);
      BigInteger scalar = little(Arrays.copyOfRange(signature, 32, 64));
      for (BigInteger other :
          List.of(
              scalar.add(order),
              scalar.add(order.shiftLeft(1)),
              order,
              order.subtract(scalar),
              BigInteger.ZERO)) {
        byte[] second = signature.clone();
        System.arraycopy(little(other), 0, second, 32, 32);
        assertThat(checker.verify(key.publicKey(), message, second)).as("%s", other).isFalse();
      }
      byte[] point = signature.clone();
      Arrays.fill(point, 0, 32, (byte) 0xff); // beyond the field
      assertThat(checker.verify(key.publicKey(), message, point)).isFalse();
      assertThat(checker.verify(Arrays.copyOf(point, 32), message, signature)).isFalse();
      assertThat(checker.verify(key.publicKey(), message, new byte[64])).isFalse();
      assertThat(checker.verify(key.publicKey(), message, Arrays.copyOf(signature, 65))).isFalse();
    }
  }

  private static BigInteger little(byte[] bytes) {
    byte[] turned = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      turned[i] = bytes[bytes.length - 1 - i];
    }
    return new BigInteger(1, turned);
  }

  private static byte[] little(BigInteger number) {
    byte[] bytes = new byte[32];
    BigInteger left = number;
    for (int i = 0; i < 32; i++) {
      bytes[i] = left.byteValue();
      left = left.shiftRight(8);
    }
    return bytes;
  }

  @Test
  void aSignerServesManyThreadsAtOnce() throws Exception {
    Ed25519 ed25519 = Ed25519.fastest();
    Ed25519.NewKey key = ed25519.generate();
    Signer signer =
        new Signer("k", new MemoryKey(ed25519, ed25519.privateKey(key.pkcs8())), key.publicKey());
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var results = new ArrayList<java.util.concurrent.Future<Boolean>>();
      for (int i = 0; i < 500; i++) {
        byte[] message = ("message " + i).getBytes(StandardCharsets.UTF_8);
        results.add(
            threads.submit(() -> ed25519.verify(key.publicKey(), message, signer.sign(message))));
      }
      for (var result : results) {
        assertThat(result.get()).isTrue();
      }
    }
  }

  @Test
  void keysAreMadeOnceAndOneForEachPurpose() throws Exception {
    try (Storage store = Storage.open(StoreConfig.sqlite(data))) {
      Vault vault = new Vault(store);
      MasterKey master = MasterKey.of("a-master-key-of-24-characters!", RANDOM);
      KeyRing first =
          KeyRing.open(
              vault, memory(master), new RevokedKeys(Optional.empty(), () -> 0), NOW, RANDOM);
      KeyRing second =
          KeyRing.open(
              vault, memory(master), new RevokedKeys(Optional.empty(), () -> 0), NOW, RANDOM);
      assertThat(vault.signingKeys()).hasSize(Purpose.values().length);
      for (Purpose purpose : Purpose.values()) {
        assertThat(second.signer(purpose).kid()).isEqualTo(first.signer(purpose).kid());
      }
      assertThat(first.signer(Purpose.DECISION).kid())
          .isNotEqualTo(first.signer(Purpose.CHECKPOINT).kid());
    }
  }

  @Test
  void thePublishedKeyChecksWhatTheSignerSigned() throws Exception {
    try (Storage store = Storage.open(StoreConfig.sqlite(data))) {
      KeyRing ring =
          KeyRing.open(
              new Vault(store),
              memory(MasterKey.of("a-master-key-of-24-characters!", RANDOM)),
              new RevokedKeys(Optional.empty(), () -> 0),
              NOW,
              RANDOM);
      byte[] message = "m".getBytes(StandardCharsets.UTF_8);
      Signer signer = ring.signer(Purpose.DECISION);
      JsonObject jwks = ring.jwks();
      assertThat(jwks.names()).containsExactly("keys");
      byte[] publicKey = null;
      for (JsonValue value : jwks.array("keys").orElseThrow()) {
        JsonObject key = (JsonObject) value;
        assertThat(key.names()).doesNotContain("d");
        if (key.string("kid").equals(Optional.of(signer.kid()))) {
          publicKey = Base64.getUrlDecoder().decode(key.string("x").orElseThrow());
        }
      }
      assertThat(publicKey).isNotNull();
      assertThat(Ed25519.fastest().verify(publicKey, message, signer.sign(message))).isTrue();
    }
  }

  @Test
  void aRevokedKeyStaysRevokedUntilAnEarlierLogIsAccepted() throws Exception {
    var accepted = new AtomicInteger();
    var key =
        new SealedKey(
            "passport-1",
            Purpose.PASSPORT,
            new byte[32],
            new byte[0],
            NOW,
            Optional.empty(),
            Optional.empty());
    var seen = new RevokedKeys(Optional.of(data), accepted::get);
    assertThat(seen.faults(List.of(key))).isEmpty();
    seen.note(List.of(key.revoked(NOW)));
    seen.note(List.of());
    assertThat(new RevokedKeys(Optional.of(data), () -> 0).faults(List.of(key)))
        .as("by the file of the node")
        .singleElement()
        .asString()
        .contains(key.kid());
    accepted.set(1);
    assertThat(seen.faults(List.of(key))).isEmpty();
    seen.note(List.of(key));
    assertThat(new RevokedKeys(Optional.of(data), () -> 0).faults(List.of(key)))
        .as("after the next start")
        .isEmpty();
    seen.note(List.of(key.revoked(NOW)));
    RevokedKeys.forget(data);
    assertThat(new RevokedKeys(Optional.of(data), () -> 0).faults(List.of(key))).isEmpty();
  }

  @Test
  void anotherMasterKeyOpensNothing() throws Exception {
    try (Storage store = Storage.open(StoreConfig.sqlite(data))) {
      Vault vault = new Vault(store);
      KeyRing.open(
          vault,
          memory(MasterKey.of("a-master-key-of-24-characters!", RANDOM)),
          new RevokedKeys(Optional.empty(), () -> 0),
          NOW,
          RANDOM);
      MasterKey other = MasterKey.of("another-master-key-entirely!!", RANDOM);
      assertThatThrownBy(() ->
              KeyRing.open(
                  vault, memory(other), new RevokedKeys(Optional.empty(), () -> 0), NOW, RANDOM))
          .isInstanceOf(WrongMasterKeyException.class)
          .hasMessageContaining("SAFECONDUCT_MASTER_KEY");
    }
  }

  @Test
  void sealedBytesAreBoundToTheirLabelAndShowNothing() throws Exception {
    MasterKey master = MasterKey.of("a-master-key-of-24-characters!", RANDOM);
    byte[] secret = "the secret of the day".getBytes(StandardCharsets.UTF_8);
    byte[] sealed = master.seal("webhook", secret);
    assertThat(master.open("webhook", sealed)).isEqualTo(secret);
    assertThat(new String(sealed, StandardCharsets.ISO_8859_1)).doesNotContain("secret of");
    assertThatThrownBy(() -> master.open("session", sealed))
        .isInstanceOf(WrongMasterKeyException.class);
    sealed[20] ^= 1;
    assertThatThrownBy(() -> master.open("webhook", sealed))
        .isInstanceOf(WrongMasterKeyException.class);
    assertThat(master.toString()).doesNotContain("a-master");
  }

  @Test
  void theKeyFileIsItsOwnersAlone() throws Exception {
    Path file = folder.resolve("master.key");
    MasterKey made = MasterKey.fromFile(file, RANDOM);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(MasterKey.fromFile(file, RANDOM).derive("x")).isEqualTo(made.derive("x"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> MasterKey.fromFile(file, RANDOM))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("chmod 600");
  }

  /** What an interrupted start has left under the temporary name is no key, and in nobody's way. */
  @Test
  void theKeyFileIsCompleteOrNotThere() throws Exception {
    Path file = folder.resolve("master.key");
    Path unfinished = Files.writeString(folder.resolve("master.key.new"), "half a k");
    Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-rw-rw-"));
    MasterKey made = MasterKey.fromFile(file, RANDOM);
    assertThat(unfinished).doesNotExist();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(MasterKey.fromKeptFile(file, RANDOM).derive("x")).isEqualTo(made.derive("x"));
  }

  /**
   * A seal covers the whole row: no member can be exchanged, not even by a seal of the same key.
   */
  @Test
  void aSealedKeyOpensOnlyAsItWasStored() throws Exception {
    PrivateKeys keys = memory(MasterKey.of("a-master-key-of-24-characters!", RANDOM));
    SealedKey key = keys.make(Purpose.DECISION, NOW, RANDOM);
    SealedKey other = keys.make(Purpose.DECISION, NOW, RANDOM);
    SealedKey retired = keys.changed(key, key.retired(NOW.plusSeconds(1)));
    assertThat(keys.faults(List.of(key, other, retired))).isEmpty();
    assertThat(
            keys.faults(
                List.of(
                    key.sealed(other.sealedSeed()),
                    key.sealed(retired.sealedSeed()),
                    key.sealed(new byte[0]),
                    key.sealed(new byte[12]),
                    retired.sealed(key.sealedSeed()),
                    key.retired(NOW),
                    key.revoked(NOW),
                    new SealedKey(
                        other.id(),
                        key.purpose(),
                        key.publicKey(),
                        key.sealedSeed(),
                        key.createdAt(),
                        key.retiredAt(),
                        key.revokedAt()),
                    new SealedKey(
                        key.id(),
                        Purpose.DECISION_TOKEN,
                        key.publicKey(),
                        key.sealedSeed(),
                        key.createdAt(),
                        key.retiredAt(),
                        key.revokedAt()),
                    new SealedKey(
                        key.id(),
                        key.purpose(),
                        other.publicKey(),
                        key.sealedSeed(),
                        key.createdAt(),
                        key.retiredAt(),
                        key.revokedAt()))))
        .hasSize(10);
  }

  private static PrivateKeys memory(MasterKey master) {
    return PrivateKeys.inMemory(master, Ed25519.fastest());
  }

  static List<Ed25519> implementations() {
    return List.of(Ed25519.fastest(), Ed25519.by(new BouncyCastleProvider()));
  }
}
