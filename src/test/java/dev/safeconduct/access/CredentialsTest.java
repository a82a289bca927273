package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.problem.Problem;
import dev.safeconduct.problem.ProblemException;
import dev.safeconduct.testkit.Rooms;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CredentialsTest {
  private static final String HERE = "192.0.2.1";

  private final Rooms rooms = new Rooms();
  private final Credentials credentials = rooms.credentials();

  @Test
  void aKeyIsItsOrganizationsCallerInEitherHeader() {
    MintedKey minted = rooms.key(rooms.ours, Scope.READ, Scope.ISSUE);

    for (boolean bearer : new boolean[] {true, false}) {
      assertThat(credentials.authenticate(minted.text(), bearer, HERE))
          .isEqualTo(
              new Caller.Key(
                  minted.key().id(),
                  rooms.ours,
                  Set.of(Scope.READ, Scope.ISSUE),
                  Optional.empty()));
    }
  }

  @Test
  void theAdminTokenIsTakenAsABearerTokenOnly() {
    assertThat(credentials.authenticate(Rooms.ADMIN_TOKEN, true, HERE))
        .isEqualTo(new Caller.Admin());
    refused(Rooms.ADMIN_TOKEN, false);
    refused(Rooms.ADMIN_TOKEN + "x", true);
  }

  @Test
  void aKeyInUseIsNotLookedUpAgain() {
    MintedKey minted = rooms.key(rooms.ours, Scope.READ);
    for (int i = 0; i < 10; i++) {
      assertThat(credentials.authenticate(minted.text(), false, HERE)).isNotNull();
    }
    assertThat(rooms.keys.lookups()).isEqualTo(1);
  }

  @Test
  void aTypoIsRefusedWithoutALookup() {
    String key = rooms.key(rooms.ours, Scope.READ).text();
    refused(key.substring(0, 52) + (key.endsWith("a") ? "b" : "a"), false);
    assertThat(rooms.keys.lookups()).isZero();
  }

  @Test
  void aRevokedKeyIsRefusedAtOnceThoughItWasCached() {
    MintedKey minted = rooms.key(rooms.ours, Scope.READ);
    assertThat(credentials.authenticate(minted.text(), false, HERE)).isNotNull();

    assertThat(rooms.revokeKey.run(Rooms.admin(), rooms.ours, minted.key().id()))
        .isEqualTo(rooms.clock.instant());

    refused(minted.text(), false);
  }

  @Test
  void anExpiryIsCheckedAtEachUse() {
    MintedKey minted =
        rooms.createKey.run(
            Rooms.admin(),
            rooms.ours,
            new KeyRequest(
                "short",
                Set.of(Scope.READ),
                Optional.empty(),
                Optional.of(rooms.clock.instant().plusSeconds(10))));
    rooms.clock.advance(Duration.ofSeconds(9));
    assertThat(credentials.authenticate(minted.text(), false, HERE)).isNotNull();
    rooms.clock.advance(Duration.ofSeconds(1));
    refused(minted.text(), false);
  }

  @Test
  void aRotatedKeyGoesOnForItsGraceAndNoLonger() {
    MintedKey old = rooms.key(rooms.ours, Scope.READ);
    assertThat(credentials.authenticate(old.text(), false, HERE)).isNotNull();

    RotateKey.Rotated rotated =
        rooms.rotateKey.run(Rooms.admin(), rooms.ours, old.key().id(), Duration.ofSeconds(30));

    assertThat(credentials.authenticate(old.text(), false, HERE)).isNotNull();
    rooms.clock.advance(Duration.ofSeconds(30));
    refused(old.text(), false);
    assertThat(credentials.authenticate(rotated.successor().text(), false, HERE)).isNotNull();
  }

  @Test
  void aKeyThatWasUnknownAMomentAgoIsKnownOnceItIsMade() {
    String text = KeyText.make(new Random(7));
    refused(text, false);
    refused(text, false);
    assertThat(rooms.keys.lookups()).isEqualTo(1);

    var key =
        new ApiKey(
            "key_1",
            rooms.ours,
            "late",
            Set.of(Scope.READ),
            Optional.empty(),
            KeyHash.of(text),
            KeyText.hint(text),
            rooms.clock.instant(),
            Optional.empty(),
            Optional.empty());
    rooms.keys.create(key, rooms.changes.records().getLast());

    assertThat(credentials.authenticate(text, false, HERE)).isNotNull();
  }

  @Test
  void anAddressWithTooManyFailuresIsTurnedAwayButNotItsKeysInUse() {
    MintedKey inUse = rooms.key(rooms.ours, Scope.READ);
    MintedKey fresh = rooms.key(rooms.ours, Scope.READ);
    assertThat(credentials.authenticate(inUse.text(), false, HERE)).isNotNull();
    for (int i = 0; i < 60; i++) {
      refused("wrong", i % 2 == 0);
    }

    limited("wrong", false);
    limited("wrong", true);
    limited(fresh.text(), false);
    limited(Rooms.ADMIN_TOKEN, true);
    assertThat(credentials.authenticate(inUse.text(), false, HERE)).isNotNull();
    assertThat(credentials.authenticate(fresh.text(), false, "192.0.2.2")).isNotNull();

    rooms.clock.advance(Duration.ofMinutes(1));
    assertThat(credentials.authenticate(Rooms.ADMIN_TOKEN, true, HERE)).isNotNull();
  }

  private void refused(String credential, boolean bearer) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> credentials.authenticate(credential, bearer, HERE))
        .satisfies(e -> assertThat(e.problem()).isInstanceOf(Problem.Unauthorized.class));
  }

  private void limited(String credential, boolean bearer) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> credentials.authenticate(credential, bearer, HERE))
        .satisfies(e -> assertThat(e.problem()).isInstanceOf(Problem.RateLimited.class));
  }
}
