package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.testkit.Rooms;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class KeyUseCasesTest {
  @AutoClose private final Rooms rooms = new Rooms();

  @Test
  void nobodyMakesAKeyWithAScopeTheyLack() {
    Origin maker = rooms.byOwnKey(rooms.ours, Scope.MANAGE_KEYS, Scope.READ);

    fails(Problem.Forbidden.class, () -> create(maker, Scope.READ, Scope.ISSUE));
    assertThat(create(maker, Scope.READ).key().scopes()).containsExactly(Scope.READ);
    Origin gone = Rooms.by(rooms.ours, Scope.MANAGE_KEYS, Scope.READ);
    fails(Problem.Forbidden.class, () -> create(gone, Scope.READ));
  }

  @Test
  void nobodyGetsScopesTheyLackByRotatingAStrongerKey() {
    MintedKey strong = rooms.key(rooms.ours, Scope.STATUS);
    Origin maker = Rooms.by(rooms.ours, Scope.MANAGE_KEYS);

    fails(
        Problem.Forbidden.class,
        () -> rooms.manageKeys.rotate(maker, rooms.ours, strong.key().id(), Duration.ZERO));
  }

  @Test
  void anotherOrganizationsKeysAreNotFound() {
    MintedKey foreign = rooms.key(rooms.theirs, Scope.READ);
    Origin maker = Rooms.by(rooms.ours, Scope.values());
    String id = foreign.key().id();

    notFound(() -> rooms.manageKeys.revoke(maker, rooms.theirs, id));
    notFound(() -> rooms.manageKeys.revoke(maker, rooms.ours, id));
    notFound(() -> rooms.manageKeys.rotate(maker, rooms.theirs, id, Duration.ZERO));
    notFound(() -> rooms.manageKeys.rotate(maker, rooms.ours, id, Duration.ZERO));
    notFound(() -> rooms.manageKeys.create(maker, rooms.theirs, request(Scope.READ)));
    assertThat(rooms.keys.find(rooms.theirs, id).orElseThrow().revokedAt()).isEmpty();
  }

  @Test
  void aSetupKeyMakesAndManagesNoKeys() {
    AgentId agent = rooms.passport(rooms.ours, "Bot").agentId();
    Origin setup = Rooms.setupKey(rooms.ours, agent, Scope.values());
    String id = rooms.key(rooms.ours, Scope.READ).key().id();

    fails(Problem.Forbidden.class, () -> create(setup, Scope.READ));
    fails(Problem.Forbidden.class, () -> rooms.manageKeys.revoke(setup, rooms.ours, id));
    fails(
        Problem.Forbidden.class,
        () -> rooms.manageKeys.rotate(setup, rooms.ours, id, Duration.ZERO));
  }

  @Test
  void aKeyIsNotBoundToAPassportOfAnotherOrganization() {
    AgentId foreign = rooms.passport(rooms.theirs, "Bot").agentId();
    var request =
        new KeyRequest("bound", Set.of(Scope.READ), Optional.of(foreign), Optional.empty());

    notFound(() -> rooms.manageKeys.create(Rooms.admin(), rooms.ours, request));
  }

  @Test
  void recordsNeverHoldAKeyOrItsHash() {
    MintedKey minted = rooms.key(rooms.ours, Scope.READ);
    MintedKey successor =
        rooms
            .manageKeys
            .rotate(Rooms.admin(), rooms.ours, minted.key().id(), Duration.ZERO)
            .successor();
    assertThat(rooms.manageKeys.revoke(Rooms.admin(), rooms.ours, successor.key().id()))
        .isNotNull();

    assertThat(rooms.records())
        .extracting(record -> record.kind().wire())
        .endsWith("key_created", "key_rotated", "key_revoked");
    assertThat(rooms.records())
        .extracting(record -> new String(record.body(), java.nio.charset.StandardCharsets.UTF_8))
        .noneMatch(body -> body.contains("sck_"));
    assertThat(minted.toString()).doesNotContain("sck_");
  }

  @Test
  void revokingTwiceIsOneRevocation() {
    String id = rooms.key(rooms.ours, Scope.READ).key().id();
    var first = rooms.manageKeys.revoke(Rooms.admin(), rooms.ours, id);
    int records = rooms.records().size();
    rooms.clock.advance(Duration.ofHours(1));

    assertThat(rooms.manageKeys.revoke(Rooms.admin(), rooms.ours, id)).isEqualTo(first);
    assertThat(rooms.records()).hasSize(records);
    fails(
        Problem.Conflict.class,
        () -> rooms.manageKeys.rotate(Rooms.admin(), rooms.ours, id, Duration.ZERO));
  }

  @Test
  void whoLacksAScopeOfAKeyMayOnlyNarrowIt() {
    var end = rooms.clock.instant().plusSeconds(600);
    String id =
        rooms
            .manageKeys
            .create(
                Rooms.admin(),
                rooms.ours,
                new KeyRequest(
                    "strong",
                    Set.of(Scope.STATUS, Scope.READ),
                    Optional.empty(),
                    Optional.of(end),
                    sources("10.0.0.0/8", "2001:db8::/32")))
            .key()
            .id();
    Origin weaker = rooms.byOwnKey(rooms.ours, Scope.MANAGE_KEYS, Scope.READ);

    for (KeyPatch wider :
        List.of(
            expiry(Optional.of(end.plusSeconds(1))),
            expiry(Optional.empty()),
            from(AllowedSources.ANY),
            from(sources("10.0.0.0/7")),
            from(sources("10.1.0.0/16", "192.0.2.1")))) {
      fails(Problem.Forbidden.class, () -> rooms.manageKeys.update(weaker, rooms.ours, id, wider));
    }
    ApiKey narrowed =
        rooms.manageKeys.update(
            weaker, rooms.ours, id, from(sources("10.1.0.0/16", "2001:db8::1")));
    assertThat(narrowed.sources().stored()).isEqualTo("10.1.0.0/16 2001:db8::1/128");
    assertThat(
            rooms
                .manageKeys
                .update(weaker, rooms.ours, id, expiry(Optional.of(end.minusSeconds(60))))
                .expiresAt())
        .contains(end.minusSeconds(60));
    fails(
        Problem.Forbidden.class,
        () ->
            rooms.manageKeys.update(
                Rooms.setupKey(rooms.ours, rooms.passport(rooms.ours, "Bot").agentId()),
                rooms.ours,
                id,
                from(sources("10.1.0.0/24"))));
  }

  @Test
  void keysOfOthersDoNotHideThoseThatExpireSoon() {
    Instant now = rooms.clock.instant();
    for (OrgId org : List.of(rooms.theirs, rooms.ours)) {
      Instant end = now.plusSeconds(org.equals(rooms.ours) ? 120 : 60);
      rooms.manageKeys.create(
          Rooms.admin(),
          org,
          new KeyRequest("soon", Set.of(Scope.READ), Optional.empty(), Optional.of(end)));
    }

    assertThat(rooms.keys.expiring(rooms.ours, now, now.plusSeconds(600), 1))
        .extracting(ApiKey::org)
        .containsExactly(rooms.ours);
  }

  @Test
  void sourcesMatchTheClientsAddress() {
    AllowedSources sources = sources("192.0.2.0/24", "2001:db8::/32");

    assertThat(List.of("192.0.2.255", "::ffff:192.0.2.1", "2001:db8:ffff::1"))
        .allMatch(sources::permits);
    assertThat(List.of("192.0.3.0", "2001:db9::1", "::1", "", "unknown", "fe80::1%eth0"))
        .noneMatch(sources::permits);
    assertThat(AllowedSources.ANY.permits("unknown")).isTrue();
  }

  private static AllowedSources sources(String... ranges) {
    return AllowedSources.stored(String.join(" ", ranges));
  }

  private static KeyPatch from(AllowedSources sources) {
    return new KeyPatch(
        Optional.empty(), Optional.empty(), false, Optional.empty(), Optional.of(sources));
  }

  private static KeyPatch expiry(Optional<Instant> end) {
    return new KeyPatch(Optional.empty(), Optional.empty(), true, end, Optional.empty());
  }

  @Test
  void aRotationDoesNotLengthenAKeysLife() {
    var end = rooms.clock.instant().plusSeconds(60);
    MintedKey minted =
        rooms.manageKeys.create(
            Rooms.admin(),
            rooms.ours,
            new KeyRequest("short", Set.of(Scope.READ), Optional.empty(), Optional.of(end)));

    ManageKeys.Rotated rotated =
        rooms.manageKeys.rotate(Rooms.admin(), rooms.ours, minted.key().id(), Duration.ofDays(7));

    assertThat(rotated.oldExpiresAt()).isEqualTo(end);
    assertThat(rotated.successor().key().expiresAt()).contains(end);
  }

  /** What an administrator takes from a key, its successor must not get back. */
  @Test
  void aRotationCopiesTheKeyAsItIsWhenTheSuccessorIsWritten() throws Exception {
    Instant end = rooms.clock.instant().plusSeconds(60);
    String id = rooms.key(rooms.ours, Scope.READ, Scope.ISSUE).key().id();
    KeyPatch narrower =
        new KeyPatch(
            Optional.empty(),
            Optional.of(Set.of(Scope.READ)),
            true,
            Optional.of(end),
            Optional.of(sources("10.1.0.0/16")));
    var held = new CountDownLatch(1);
    var ended = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Boolean> before =
          threads.submit(() ->
              rooms.store.change(_ -> {
                held.countDown();
                return MutationResult.none(await(ended));
              }));
      assertThat(await(held)).isTrue();
      Future<ApiKey> narrowed =
          threads.submit(() -> rooms.manageKeys.update(Rooms.admin(), rooms.ours, id, narrower));
      awaitWaiting(1);
      Future<ManageKeys.Rotated> rotated =
          threads.submit(
              () -> rooms.manageKeys.rotate(Rooms.admin(), rooms.ours, id, Duration.ofSeconds(90)));
      awaitWaiting(2);
      ended.countDown();
      assertThat(before.get()).isTrue();

      assertThat(narrowed.get().scopes()).containsExactly(Scope.READ);
      ApiKey successor = rotated.get().successor().key();
      assertThat(successor.scopes()).containsExactly(Scope.READ);
      assertThat(successor.expiresAt()).contains(end);
      assertThat(successor.sources().stored()).isEqualTo("10.1.0.0/16");
      assertThat(rotated.get().oldExpiresAt()).isEqualTo(end);
      assertThat(rooms.keys.find(rooms.ours, successor.id())).contains(successor);
    }
  }

  private void awaitWaiting(int entries) {
    while (rooms.store.waiting() < entries) {
      Thread.onSpinWait();
    }
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private MintedKey create(Origin maker, Scope... scopes) {
    return rooms.manageKeys.create(maker, rooms.ours, request(scopes));
  }

  private static KeyRequest request(Scope... scopes) {
    return new KeyRequest("test", Set.of(scopes), Optional.empty(), Optional.empty());
  }

  private static void notFound(ThrowingCallable call) {
    fails(Problem.NotFound.class, call);
  }

  private static void fails(Class<? extends Problem> problem, ThrowingCallable call) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.problem()).isInstanceOf(problem));
  }
}
