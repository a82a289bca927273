package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.ORG;
import static dev.safeconduct.ledger.Fixtures.OTHER;
import static dev.safeconduct.ledger.Fixtures.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.mail.Outbox;
import dev.safeconduct.mail.OutboxEntry;
import dev.safeconduct.signing.Purpose;
import dev.safeconduct.signing.SealedKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@code ApiKeys}, {@code Organizations} and {@code Vault} promise, on either database. */
final class KeysAndOrganizationsTest extends StoreContract {
  @Test
  void keepsAKeysEveryPartAndFindsItByHash() {
    ApiKey key =
        new ApiKey(
            "key_1",
            ORG,
            "the name",
            Set.of(Scope.READ, Scope.MANAGE_KEYS),
            Optional.of(new AgentId("ap_1")),
            KeyHash.of("secret"),
            "sck_abcd",
            NOW,
            Optional.of(NOW.plusSeconds(5)),
            Optional.empty());
    long before = store().changes().sequence();
    store().apiKeys().create(key, change(RecordKind.KEY_CREATED));
    assertThat(store().apiKeys().find(KeyHash.of("secret"))).contains(key);
    assertThat(store().apiKeys().find(KeyHash.of("guess"))).isEmpty();
    assertThat(store().apiKeys().find(ORG, "key_1")).contains(key);
    assertThat(store().apiKeys().find(OTHER, "key_1")).isEmpty();
    assertThat(store().changes().sequence()).isEqualTo(before + 1);
    assertThat(kinds()).containsExactly(RecordKind.KEY_CREATED);
  }

  @Test
  void revokesAKeyOnce() {
    store().apiKeys().create(key("k"), change(RecordKind.KEY_CREATED));
    Instant at = NOW.plusSeconds(1);
    assertThat(store().apiKeys().revoke(OTHER, "k", at, change(RecordKind.KEY_REVOKED))).isFalse();
    assertThat(store().apiKeys().revoke(ORG, "k", at, change(RecordKind.KEY_REVOKED))).isTrue();
    assertThat(store().apiKeys().revoke(ORG, "k", NOW, change(RecordKind.KEY_REVOKED))).isFalse();
    assertThat(store().apiKeys().find(ORG, "k").orElseThrow().revokedAt()).contains(at);
    assertThat(kinds()).containsExactly(RecordKind.KEY_REVOKED, RecordKind.KEY_CREATED);
  }

  @Test
  void rotatesAKeyButNotARevokedOne() {
    store().apiKeys().create(key("old"), change(RecordKind.KEY_CREATED));
    Instant end = NOW.plusSeconds(60);
    store().apiKeys().rotate(key("new"), ORG, "old", end, change(RecordKind.KEY_ROTATED));
    assertThat(store().apiKeys().find(ORG, "old").orElseThrow().expiresAt()).contains(end);
    assertThat(store().apiKeys().find(ORG, "new")).isPresent();
    // What ends sooner is not given more time.
    store().apiKeys().rotate(key("x"), ORG, "old", end.plusSeconds(9), change(RecordKind.CONFIG));
    assertThat(store().apiKeys().find(ORG, "old").orElseThrow().expiresAt()).contains(end);
    store().apiKeys().revoke(ORG, "old", NOW, change(RecordKind.KEY_REVOKED));
    assertThat(store().apiKeys().rotate(key("y"), ORG, "old", end, change(RecordKind.CONFIG)))
        .isFalse();
    assertThat(store().apiKeys().find(ORG, "y")).isEmpty();
  }

  @Test
  void listsKeysPageByPage() {
    for (String id : List.of("a", "b", "c")) {
      store().apiKeys().create(key(id), change(RecordKind.KEY_CREATED));
    }
    assertThat(store().apiKeys().list(ORG, Optional.empty(), 2))
        .extracting(ApiKey::id)
        .containsExactly("c", "b");
    assertThat(store().apiKeys().list(ORG, Optional.of("b"), 2))
        .extracting(ApiKey::id)
        .containsExactly("a");
    assertThat(store().apiKeys().list(OTHER, Optional.empty(), 2)).isEmpty();
  }

  @Test
  void refusesATakenKeyIdAlone() {
    store().apiKeys().create(key("k"), change(RecordKind.KEY_CREATED));
    assertThatThrownBy(() -> store().apiKeys().create(key("k"), change(RecordKind.CONFIG)))
        .satisfies(e -> assertThat(problem(e)).isInstanceOf(Problem.Conflict.class));
    assertThat(kinds()).containsExactly(RecordKind.KEY_CREATED);
  }

  @Test
  void keepsOrganizationsOldestFirst() {
    var first = new Organization(ORG, "First", NOW);
    var second = new Organization(OTHER, "Second", NOW.plusSeconds(1));
    assertThat(store().organizations().first()).isEmpty();
    store().organizations().create(second, change(RecordKind.CONFIG));
    store().organizations().create(first, change(RecordKind.CONFIG));
    assertThat(store().organizations().first()).contains(first);
    assertThat(store().organizations().find(OTHER)).contains(second);
    assertThat(store().organizations().list(new Tenant.Everyone(), Optional.empty(), 9))
        .containsExactly(first, second);
    assertThat(store().organizations().list(new Tenant.Everyone(), Optional.of(ORG), 9))
        .containsExactly(second);
    assertThat(store().organizations().list(new Tenant.One(OTHER), Optional.empty(), 9))
        .containsExactly(second);
    assertThatThrownBy(() -> store().organizations().create(first, change(RecordKind.CONFIG)))
        .satisfies(e -> assertThat(problem(e)).isInstanceOf(Problem.Conflict.class));
    assertThat(store().organizations().find(new OrgId("nobody"))).isEmpty();
  }

  @Test
  void keepsTheFirstSigningKeyOfAPurposeAndTheFirstSecretOfAName() {
    SealedKey key = sealed("one", Purpose.DECISION);
    assertThat(store().vault().addFirst(key)).isTrue();
    assertThat(store().vault().addFirst(sealed("two", Purpose.DECISION))).isFalse();
    assertThat(store().vault().addFirst(sealed("three", Purpose.SESSION))).isTrue();
    assertThat(store().vault().signingKeys()).extracting(SealedKey::id).contains("one", "three");
    assertThat(store().vault().signingKeys())
        .filteredOn(stored -> stored.id().equals("one"))
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(key);
    assertThat(store().vault().putIfAbsent("n", new byte[] {1, 0, 2})).isTrue();
    assertThat(store().vault().putIfAbsent("n", new byte[] {3})).isFalse();
    assertThat(store().vault().find("n").orElseThrow()).containsExactly(1, 0, 2);
    assertThat(store().vault().find("m")).isEmpty();
  }

  @Test
  void givesALetterToOneTakerAtATime() {
    Outbox outbox = store().outbox();
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
    return store()
        .auditLog()
        .list(new Tenant.One(ORG), AuditFilter.ALL, Long.MAX_VALUE, 99)
        .stream()
        .map(stored -> stored.entry().kind())
        .toList();
  }

  private static Problem problem(Throwable thrown) {
    return ((ProblemException) thrown).problem();
  }
}
