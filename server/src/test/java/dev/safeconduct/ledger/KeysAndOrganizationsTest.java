package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.ORG;
import static dev.safeconduct.ledger.Fixtures.OTHER;
import static dev.safeconduct.ledger.Fixtures.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.access.AllowedSources;
import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.net.AddressRange;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.SealedKey;
import dev.safeconduct.signing.Vault;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@code ApiKeys}, {@code Organizations} and {@code Vault} promise, on either database. */
final class KeysAndOrganizationsTest extends StoreContract {
  @Test
  void keepsAKeysChangesAndItsLatestUse() {
    ApiKeys keys = new ApiKeys(store());
    keys.create(key("key_1"), change(RecordKind.KEY_CREATED));
    long before = store().changes().sequence();
    keys.used(Map.of("key_1", NOW));
    keys.used(Map.of("key_1", NOW.minusSeconds(60), "key_2", NOW));
    assertThat(store().changes().sequence()).isEqualTo(before); // no cache has to forget the key
    assertThat(keys.find(ORG, "key_1").orElseThrow().lastUsedAt()).contains(NOW);
    assertThat(keys.update(OTHER, "key_1", key -> key, _ -> change(RecordKind.KEY_UPDATED)))
        .isEmpty();
    assertThat(store().changes().sequence()).isEqualTo(before);
  }

  @Test
  void keepsAKeysEveryPartAndFindsItByHash() {
    ApiKey key =
        new ApiKey(
            "key_1",
            ORG,
            "the name",
            Set.of(Scope.READ, Scope.MANAGE_KEYS),
            Optional.of(new AgentId("ap_1")),
            new AllowedSources(List.of(AddressRange.parse("192.0.2.0/24").orElseThrow())),
            KeyHash.of("secret"),
            "sck_abcd",
            NOW,
            Optional.of("account:acc_1"),
            Optional.of(NOW.plusSeconds(5)),
            Optional.empty(),
            Optional.of(NOW.plusSeconds(4)));
    long before = store().changes().sequence();
    new ApiKeys(store()).create(key, change(RecordKind.KEY_CREATED));
    assertThat(new ApiKeys(store()).find(KeyHash.of("secret"))).contains(key);
    assertThat(new ApiKeys(store()).find(KeyHash.of("guess"))).isEmpty();
    assertThat(new ApiKeys(store()).find(ORG, "key_1")).contains(key);
    assertThat(new ApiKeys(store()).find(OTHER, "key_1")).isEmpty();
    assertThat(store().changes().sequence()).isEqualTo(before + 1);
    assertThat(kinds()).containsExactly(RecordKind.KEY_CREATED);
  }

  @Test
  void revokesAKeyOnce() {
    new ApiKeys(store()).create(key("k"), change(RecordKind.KEY_CREATED));
    Instant at = NOW.plusSeconds(1);
    assertThat(new ApiKeys(store()).revoke(OTHER, "k", at, change(RecordKind.KEY_REVOKED)))
        .isFalse();
    assertThat(new ApiKeys(store()).revoke(ORG, "k", at, change(RecordKind.KEY_REVOKED))).isTrue();
    assertThat(new ApiKeys(store()).revoke(ORG, "k", NOW, change(RecordKind.KEY_REVOKED)))
        .isFalse();
    assertThat(new ApiKeys(store()).find(ORG, "k").orElseThrow().revokedAt()).contains(at);
    assertThat(kinds()).containsExactly(RecordKind.KEY_REVOKED, RecordKind.KEY_CREATED);
  }

  @Test
  void rotatesAKeyAsItIsInTheTransaction() {
    ApiKeys keys = new ApiKeys(store());
    keys.create(key("old"), change(RecordKind.KEY_CREATED));
    Instant end = NOW.plusSeconds(60);
    assertThat(keys.rotate(OTHER, "old", _ -> rotation("x", end))).isEmpty();
    assertThat(keys.rotate(ORG, "old", _ -> rotation("new", end))).isPresent();
    assertThat(keys.find(ORG, "old").orElseThrow().expiresAt()).contains(end);
    assertThat(keys.find(ORG, "new")).isPresent();
    // What ends sooner is not given more time.
    assertThat(keys.rotate(ORG, "old", _ -> rotation("x", end.plusSeconds(9)))).isPresent();
    assertThat(keys.find(ORG, "old").orElseThrow().expiresAt()).contains(end);
    keys.revoke(ORG, "old", NOW, change(RecordKind.KEY_REVOKED));
    assertThatThrownBy(() ->
            keys.rotate(
                ORG,
                "old",
                old -> {
                  assertThat(old.revokedAt()).contains(NOW);
                  throw new Problem.Conflict("revoked", "key_not_usable").toException();
                }))
        .isInstanceOf(ProblemException.class);
  }

  private static ApiKeys.Rotation rotation(String id, Instant end) {
    return new ApiKeys.Rotation(key(id), end, change(RecordKind.KEY_ROTATED));
  }

  @Test
  void listsKeysPageByPage() {
    for (String id : List.of("a", "b", "c")) {
      new ApiKeys(store()).create(key(id), change(RecordKind.KEY_CREATED));
    }
    assertThat(new ApiKeys(store()).list(ORG, Optional.empty(), 2))
        .extracting(ApiKey::id)
        .containsExactly("c", "b");
    assertThat(new ApiKeys(store()).list(ORG, Optional.of("b"), 2))
        .extracting(ApiKey::id)
        .containsExactly("a");
    assertThat(new ApiKeys(store()).list(OTHER, Optional.empty(), 2)).isEmpty();
  }

  @Test
  void refusesATakenKeyIdAlone() {
    new ApiKeys(store()).create(key("k"), change(RecordKind.KEY_CREATED));
    assertThatThrownBy(() -> new ApiKeys(store()).create(key("k"), change(RecordKind.CONFIG)))
        .satisfies(e -> assertThat(problem(e)).isInstanceOf(Problem.Conflict.class));
    assertThat(kinds()).containsExactly(RecordKind.KEY_CREATED);
  }

  @Test
  void keepsOrganizationsOldestFirst() {
    var first = new Organization(ORG, "First", NOW);
    var second = new Organization(OTHER, "Second", NOW.plusSeconds(1));
    boolean _ =
        store()
            .change(connection ->
                MutationResult.none(
                    Organizations.delete(connection, ORG)
                        && Organizations.delete(connection, OTHER)));
    assertThat(new Organizations(store()).first()).isEmpty();
    new Organizations(store()).create(second, change(RecordKind.CONFIG));
    new Organizations(store()).create(first, change(RecordKind.CONFIG));
    assertThat(new Organizations(store()).first()).contains(first);
    assertThat(new Organizations(store()).find(OTHER)).contains(second);
    assertThat(new Organizations(store()).list(new Tenant.Everyone(), Optional.empty(), 9))
        .containsExactly(first, second);
    assertThat(new Organizations(store()).list(new Tenant.Everyone(), Optional.of(ORG), 9))
        .containsExactly(second);
    assertThat(new Organizations(store()).list(new Tenant.One(OTHER), Optional.empty(), 9))
        .containsExactly(second);
    assertThatThrownBy(() -> new Organizations(store()).create(first, change(RecordKind.CONFIG)))
        .satisfies(e -> assertThat(problem(e)).isInstanceOf(Problem.Conflict.class));
    assertThat(new Organizations(store()).find(new OrgId("nobody"))).isEmpty();
  }

  @Test
  void keepsTheFirstSigningKeyOfAPurposeAndTheFirstSecretOfAName() {
    SealedKey key = sealed("one", Purpose.DECISION);
    assertThat(new Vault(store()).addFirst(key)).isTrue();
    assertThat(new Vault(store()).addFirst(sealed("two", Purpose.DECISION))).isFalse();
    assertThat(new Vault(store()).addFirst(sealed("three", Purpose.SESSION))).isTrue();
    assertThat(new Vault(store()).signingKeys()).extracting(SealedKey::id).contains("one", "three");
    assertThat(new Vault(store()).signingKeys())
        .filteredOn(stored -> stored.id().equals("one"))
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(key);
    assertThat(new Vault(store()).putIfAbsent("n", new byte[] {1, 0, 2})).isTrue();
    assertThat(new Vault(store()).putIfAbsent("n", new byte[] {3})).isFalse();
    assertThat(new Vault(store()).find("n").orElseThrow()).containsExactly(1, 0, 2);
    assertThat(new Vault(store()).find("m")).isEmpty();
  }

  @Test
  void givesALetterToOneTakerAtATime() {
    Outbox outbox = new Outbox(store());
    outbox.add(OutboxEntry.of("b", "claim", "x", NOW.plusSeconds(1)));
    outbox.add(OutboxEntry.of("a", "claim", "y", NOW));
    assertThat(outbox.due(NOW, 9)).extracting(OutboxEntry::id).containsExactly("a");
    List<OutboxEntry> due = outbox.due(NOW.plusSeconds(1), 9);
    assertThat(due).extracting(OutboxEntry::id).containsExactly("a", "b");
    assertThat(outbox.due(NOW.plusSeconds(1), 1)).hasSize(1);
    assertThat(outbox.take(due.getFirst(), NOW.plusSeconds(60))).isTrue();
    assertThat(outbox.take(due.getFirst(), NOW.plusSeconds(60))).isFalse();
    assertThat(outbox.due(NOW.plusSeconds(59), 9)).extracting(OutboxEntry::id).containsExactly("b");
    assertThat(outbox.due(NOW.plusSeconds(60), 9))
        .contains(new OutboxEntry("a", "claim", "y", NOW, 1, NOW.plusSeconds(60)));
    outbox.done("b");
    outbox.giveUp("a", NOW, "no such mailbox");
    assertThat(outbox.due(NOW.plusSeconds(600), 9)).isEmpty();
    assertThat(outbox.take(new OutboxEntry("a", "claim", "y", NOW, 1, NOW), NOW)).isFalse();
  }

  private static SealedKey sealed(String id, Purpose purpose) {
    return new SealedKey(
        id, purpose, new byte[32], new byte[60], NOW, Optional.empty(), Optional.empty());
  }

  private List<RecordKind> kinds() {
    return new AuditLog(store().reads())
        .list(new Tenant.One(ORG), AuditFilter.ALL, Long.MAX_VALUE, 99).stream()
            .map(stored -> stored.entry().kind())
            .toList();
  }

  private static Problem problem(Throwable thrown) {
    return ((ProblemException) thrown).problem();
  }
}
