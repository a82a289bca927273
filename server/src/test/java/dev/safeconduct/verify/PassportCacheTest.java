package dev.safeconduct.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.Json;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.testkit.Rooms;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Hosted passports are kept within a number of bytes, and are the same from the store. */
final class PassportCacheTest {
  private static final int MAX_BYTES = 20_000;

  @AutoClose private final Rooms rooms = new Rooms();
  private final PassportCache cache =
      new PassportCache(rooms.passports, rooms.store.changes(), MAX_BYTES);

  @Test
  void keepsAsManyPassportsAsFit() {
    var all = IntStream.range(0, 60).mapToObj(i -> rooms.passport(rooms.ours, "bot " + i)).toList();
    for (int round = 0; round < 2; round++) {
      for (Passport passport : all) {
        PassportCache.Hosted found = cache.find(passport.agentId()).orElseThrow();
        assertThat(Json.text(found.judged().document())).isEqualTo(Json.text(passport.document()));
        assertThat(found.org()).isEqualTo(rooms.ours);
      }
    }
    assertThat(cache.size()).isBetween(5L, MAX_BYTES / 1_000L);
  }
}
