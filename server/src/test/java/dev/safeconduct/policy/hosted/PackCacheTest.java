package dev.safeconduct.policy.hosted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.schema.StringFormats;
import dev.safeconduct.testkit.Rooms;
import dev.safeconduct.testkit.StockPack;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compiled packs are kept within a number of bytes, and are the same from the store. */
final class PackCacheTest {
  private static final String ID = "acme.stock.kept.v1";
  private static final int MAX_BYTES = 200_000;
  private static final int VERSIONS = 60;

  @AutoClose private final Rooms rooms = new Rooms();
  private final HostedPacks packs = new HostedPacks(rooms.store);
  private final PackReader reader =
      new PackReader(Set.of(), new StringFormats(Map.of()), (_, _, _, _) -> {});
  private final PublishPack publish = new PublishPack(packs, reader, _ -> false, rooms.recorder);
  private final PackCache cache = new PackCache(packs, reader, rooms.store.changes(), MAX_BYTES);

  /** A short pack whose pattern is long when it is multiplied out. */
  private static JsonObject patterns(int most) {
    return StockPack.pack(ID, most)
        .with(
            "required_context",
            JsonObject.builder()
                .put("type", "object")
                .put("required", JsonArray.ofStrings(List.of("items")))
                .put(
                    "properties",
                    JsonObject.builder()
                        .put("items", JsonObject.builder().put("type", "integer").build())
                        .put(
                            "note",
                            JsonObject.builder()
                                .put("type", "string")
                                .put("pattern", "(?:[a-z]{10}){100}")
                                .build())
                        .build())
                .build());
  }

  @ParameterizedTest
  @CsvSource({"false, 5, 50", "true, 1, 3"})
  void keepsAsManyVersionsAsFit(boolean patterns, long least, long most) {
    IntFunction<JsonObject> made =
        patterns ? PackCacheTest::patterns : number -> StockPack.pack(ID, number);
    PolicyId id = publish.create(Rooms.admin(), rooms.ours, made.apply(1)).pack().id();
    for (int i = 2; i <= VERSIONS; i++) {
      publish.add(Rooms.admin(), rooms.ours, id, made.apply(i));
    }
    HostedPack pack = packs.find(rooms.ours, id).orElseThrow();
    for (int round = 0; round < 2; round++) {
      for (int i = 1; i <= VERSIONS; i++) {
        PackVersion version = packs.version(rooms.ours, id, i).orElseThrow();
        assertThat(cache.version(pack, version).digest())
            .isEqualTo(CanonicalJson.digest(made.apply(i)));
      }
    }
    assertThat(cache.size()).isBetween(least, most);
  }

  /** The list that AuthZEN requests read is compiled once for each change. */
  @Test
  void keepsTheListOfActivePacksUntilAChange() {
    PolicyId id = publish.create(Rooms.admin(), rooms.ours, StockPack.pack(ID, 1)).pack().id();
    UsePack use = new UsePack(packs, cache, new PolicyCatalog(List.of()), rooms.recorder);
    assertThat(cache.active(rooms.ours)).isEmpty();
    use.activate(Rooms.admin(), rooms.ours, id, OptionalInt.empty());
    List<PolicyPack> first = cache.active(rooms.ours);
    assertThat(first).extracting(PolicyPack::id).containsExactly(id);
    assertThat(cache.active(rooms.ours)).isSameAs(first);
    use.deprecate(Rooms.admin(), rooms.ours, id, OptionalInt.empty());
    assertThat(cache.active(rooms.ours)).isEmpty();
  }

  /** A node must be able to keep the list. */
  @Test
  void refusesMoreActivePacksThanFit() {
    UsePack use = new UsePack(packs, cache, new PolicyCatalog(List.of()), rooms.recorder);
    int fitting = 16;
    for (int i = 0; i <= fitting; i++) {
      publish.create(
          Rooms.admin(),
          rooms.ours,
          StockPack.pack(id(i).value(), 1)
              .with("description", new JsonString("x".repeat(250_000))));
    }
    for (int i = 0; i < fitting; i++) {
      use.activate(Rooms.admin(), rooms.ours, id(i), OptionalInt.empty());
    }
    assertThatThrownBy(
            () -> use.activate(Rooms.admin(), rooms.ours, id(fitting), OptionalInt.empty()))
        .hasMessageContaining("33 MiB of memory; 32 MiB is the most");
    // Another version of an active pack takes its place.
    use.activate(Rooms.admin(), rooms.ours, id(0), OptionalInt.empty());
    use.deprecate(Rooms.admin(), rooms.ours, id(1), OptionalInt.empty());
    use.activate(Rooms.admin(), rooms.ours, id(fitting), OptionalInt.empty());
    assertThat(cache.active(rooms.ours)).hasSize(fitting);
  }

  private static PolicyId id(int number) {
    return new PolicyId("acme.stock.kept" + number + ".v1");
  }
}
