package dev.safeconduct.ledger;

import dev.safeconduct.access.AllowedSources;
import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.access.people.Organization;
import dev.safeconduct.access.people.Organizations;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.testkit.EachStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What both databases promise: the tests of a subclass run on each, with an empty store. */
@ParameterizedClass
@EnumSource(EachStore.class)
abstract class StoreContract {
  @Parameter
  @SuppressWarnings("NullAway.Init") // set before each test
  private EachStore database;

  private Optional<Storage> opened = Optional.empty();
  private Optional<Storage> second = Optional.empty();
  private Optional<StoreConfig> config = Optional.empty();

  @BeforeEach
  void openStore(@TempDir Path folder) {
    config = Optional.of(database.newStore(folder));
    opened = Optional.of(Storage.open(config()));
    addOrganizations(store());
  }

  /** Adds both organizations without a record; nothing can be added to one that is not there. */
  static void addOrganizations(Storage store) {
    boolean _ =
        store.change(connection -> {
          for (OrgId id : List.of(Fixtures.ORG, Fixtures.OTHER)) {
            Organizations.insert(connection, new Organization(id, id.value(), Fixtures.NOW));
          }
          return MutationResult.none(true);
        });
  }

  /** A further empty store of the same kind. */
  StoreConfig another(Path folder) {
    return database.newStore(folder);
  }

  @AfterEach
  void closeStore() {
    second.ifPresent(Storage::close);
    store().close();
  }

  /** Stores of one database: two nodes on PostgreSQL, the one that there may be on SQLite. */
  synchronized List<Storage> nodes() {
    if (database == EachStore.POSTGRES && second.isEmpty()) {
      second = Optional.of(Storage.open(config()));
    }
    return Stream.concat(opened.stream(), second.stream()).toList();
  }

  Storage node(int i) {
    return nodes().get(i % nodes().size());
  }

  Storage store() {
    return opened.orElseThrow();
  }

  StoreConfig config() {
    return config.orElseThrow();
  }

  void reopen() {
    store().close();
    opened = Optional.of(Storage.open(config()));
  }

  /** Changes something of that name, {@code agent:…} or {@code key:…}. */
  void announce(String subject) {
    if (subject.startsWith("agent:")) {
      new Passports(store())
          .create(passport(subject.substring(6)), Fixtures.change(RecordKind.CONFIG));
    } else {
      new ApiKeys(store())
          .create(key(subject.substring(4)), Fixtures.change(RecordKind.KEY_CREATED));
    }
  }

  static ApiKey key(String id) {
    return new ApiKey(
        id,
        Fixtures.ORG,
        "a key",
        Set.of(),
        Optional.empty(),
        AllowedSources.ANY,
        KeyHash.of(UUID.randomUUID().toString()),
        "sck_abcd",
        Fixtures.NOW,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  static Passport passport(String id) {
    return passport(Fixtures.ORG, id, Optional.empty());
  }

  static Passport passport(OrgId org, String id, Optional<String> slug) {
    return new Passport(
        new AgentId(id),
        org,
        slug,
        "Agent " + id,
        PassportStatus.ACTIVE,
        1,
        Fixtures.NOW,
        JsonObject.builder()
            .put("zebra", "first")
            .put("agent_id", id)
            .put("framework", JsonArray.of(new JsonString("claude-code")))
            .put(
                "capabilities",
                JsonArray.of(JsonObject.builder().put("id", "payments.charge").build()))
            .build());
  }
}
