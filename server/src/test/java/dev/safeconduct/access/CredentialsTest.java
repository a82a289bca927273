package dev.safeconduct.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.safeconduct.db.Sql;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.Cell;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Storage;
import dev.safeconduct.testkit.Rooms;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class CredentialsTest {
  private static final String HERE = "192.0.2.1";

  @AutoClose private final Rooms rooms = new Rooms();
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
  void whoeverSendsTheAdminTokenInTheWrongHeaderReadsTheRightOne() {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> credentials.authenticate(Rooms.ADMIN_TOKEN, false, HERE))
        .withMessageContaining("the admin token as Authorization: Bearer");
  }

  @Test
  void aKeyInUseIsNotLookedUpAgain() {
    MintedKey minted = rooms.key(rooms.ours, Scope.READ);
    assertThat(credentials.authenticate(minted.text(), false, HERE)).isNotNull();
    rooms.store.update(Sql.of("DELETE FROM api_key")); // and nobody is told
    assertThat(credentials.authenticate(minted.text(), false, HERE)).isNotNull();
  }

  @Test
  void aTypoIsRefusedWithoutALookup() {
    String key = rooms.key(rooms.ours, Scope.READ).text();
    rooms.store.close(); // whoever looks fails
    refused(key.substring(0, 52) + (key.endsWith("a") ? "b" : "a"), false);
  }

  @Test
  void aRevokedKeyIsRefusedAtOnceThoughItWasCached() {
    MintedKey minted = rooms.key(rooms.ours, Scope.READ);
    assertThat(credentials.authenticate(minted.text(), false, HERE)).isNotNull();

    assertThat(rooms.manageKeys.revoke(Rooms.admin(), rooms.ours, minted.key().id()))
        .isEqualTo(rooms.clock.instant());

    refused(minted.text(), false);
  }

  @Test
  void anExpiryIsCheckedAtEachUse() {
    MintedKey minted =
        rooms.manageKeys.create(
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

    ManageKeys.Rotated rotated =
        rooms.manageKeys.rotate(Rooms.admin(), rooms.ours, old.key().id(), Duration.ofSeconds(30));

    assertThat(credentials.authenticate(old.text(), false, HERE)).isNotNull();
    rooms.clock.advance(Duration.ofSeconds(30));
    refused(old.text(), false);
    assertThat(credentials.authenticate(rotated.successor().text(), false, HERE)).isNotNull();
  }

  @Test
  void aKeyThatWasUnknownAMomentAgoIsKnownOnceItIsMade() {
    String text = KeyText.make(Cell.NONE, new Random(7));
    refused(text, false);
    var key =
        new ApiKey(
            "key_1",
            rooms.ours,
            "late",
            Set.of(Scope.READ),
            Optional.empty(),
            AllowedSources.ANY,
            KeyHash.of(text),
            KeyText.hint(text),
            rooms.clock.instant(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    AuditRecord entry =
        rooms.recorder.write(
            RecordKind.KEY_CREATED,
            rooms.ours,
            rooms.clock.instant(),
            Rooms.admin(),
            JsonObject.EMPTY);
    Storage storage = rooms.store;
    storage.change(connection -> MutationResult.none(inserted(connection, key)));
    refused(text, false); // nobody is told, so it is not looked up again
    storage.update(Sql.of("DELETE FROM api_key"));
    rooms.keys.create(key, entry);

    assertThat(credentials.authenticate(text, false, HERE)).isNotNull();
  }

  private static boolean inserted(Connection connection, ApiKey key) throws SQLException {
    ApiKeys.insert(connection, key);
    return true;
  }

  @Test
  void tooManyFailuresOfAnAddressDelayOnlyItsFailures() {
    MintedKey inUse = rooms.key(rooms.ours, Scope.READ);
    MintedKey fresh = rooms.key(rooms.ours, Scope.READ);
    MintedKey revoked = rooms.key(rooms.ours, Scope.READ);
    rooms.manageKeys.revoke(Rooms.admin(), rooms.ours, revoked.key().id());
    assertThat(credentials.authenticate(inUse.text(), false, HERE)).isNotNull();
    for (int i = 0; i < 60; i++) {
      refused("wrong", i % 2 == 0);
    }

    limited("wrong", false);
    limited("wrong", true);
    limited(revoked.text(), false);
    limited(Rooms.ADMIN_TOKEN, false);
    limited(KeyText.make(Cell.NONE, new Random(7)), false);
    assertThat(credentials.authenticate(inUse.text(), false, HERE)).isNotNull();
    assertThat(credentials.authenticate(fresh.text(), false, HERE)).isNotNull();
    assertThat(credentials.authenticate(Rooms.ADMIN_TOKEN, true, HERE)).isNotNull();

    rooms.clock.advance(Duration.ofMinutes(1));
    refused("wrong", false);
  }

  /** A client has every address of its /64. */
  @Test
  void anIpv6AddressCountsWithItsNetwork() {
    for (int i = 0; i < 60; i++) {
      refused("wrong", false, "2001:db8:1:2::" + Integer.toHexString(i));
    }
    limited("wrong", false, "2001:db8:1:2:ffff:ffff:ffff:ffff");
    refused("wrong", false, "2001:db8:1:3::1");
    refused("wrong", false, HERE);
  }

  private void refused(String credential, boolean bearer) {
    refused(credential, bearer, HERE);
  }

  private void refused(String credential, boolean bearer, String address) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> credentials.authenticate(credential, bearer, address))
        .satisfies(e -> assertThat(e.problem()).isInstanceOf(Problem.Unauthorized.class));
  }

  private void limited(String credential, boolean bearer) {
    limited(credential, bearer, HERE);
  }

  private void limited(String credential, boolean bearer, String address) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> credentials.authenticate(credential, bearer, address))
        .satisfies(e -> assertThat(e.problem()).isInstanceOf(Problem.RateLimited.class));
  }
}
