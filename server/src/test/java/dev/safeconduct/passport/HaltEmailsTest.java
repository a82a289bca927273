package dev.safeconduct.passport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.access.people.Accounts;
import dev.safeconduct.access.people.Memberships;
import dev.safeconduct.ledger.Events;
import dev.safeconduct.testkit.Rooms;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class HaltEmailsTest {
  @AutoClose private final Rooms rooms = new Rooms();
  private final Halts halts = new Halts(rooms.store);
  private final HaltEmails emails =
      new HaltEmails(
          halts,
          rooms.organizations,
          new Accounts(rooms.store),
          new Memberships(rooms.store),
          "http://localhost:8080");

  /** The email about a new halt follows, and must not be preceded by one that contradicts it. */
  @Test
  void theEndOfAHaltIsNotToldOnceAnotherBegan() {
    var setHalt =
        new SetHalt(
            halts,
            emails,
            new Events(rooms.store, rooms.recorder, "http://localhost:8080"),
            () -> {},
            rooms.recorder);
    rooms.owner(rooms.ours, "owner@example.com");
    setHalt.halt(Rooms.admin(), rooms.ours, rooms.ours, "a drill");
    rooms.clock.advance(Duration.ofMinutes(1));
    setHalt.resume(Rooms.admin(), rooms.ours, rooms.ours, false);
    var resumed = rooms.waiting("organization_resumed").getFirst();
    var writer = Objects.requireNonNull(emails.writers().get("organization_resumed"));
    assertThat(writer.write(resumed).orElseThrow().toString()).contains("is resumed");
    rooms.clock.advance(Duration.ofMinutes(1));
    setHalt.halt(Rooms.admin(), rooms.ours, rooms.ours, "once more");
    assertThat(writer.write(resumed)).isEmpty();
  }
}
