package dev.safeconduct.store;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.KeyHash;
import dev.safeconduct.audit.RecordKind;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportStatus;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store of the kind the subclass names, empty before each test. */
abstract class StoreContract {
  private Optional<Store> opened = Optional.empty();
  private Optional<StoreConfig> config = Optional.empty();

  abstract StoreConfig emptyStore();

  @BeforeEach
  void openStore() {
    config = Optional.of(emptyStore());
    opened = Optional.of(Store.open(config()));
  }

  @AfterEach
  void closeStore() {
    store().close();
  }

  Store store() {
    return opened.orElseThrow();
  }

  StoreConfig config() {
    return config.orElseThrow();
  }

  void reopen() {
    store().close();
    opened = Optional.of(Store.open(config()));
  }

  /** Changes something of that name, {@code agent:…} or {@code key:…}. */
  void announce(String subject) {
    if (subject.startsWith("agent:")) {
      store()
          .passports()
          .create(passport(subject.substring(6)), Fixtures.change(RecordKind.CONFIG));
    } else {
      store().apiKeys().create(key(subject.substring(4)), Fixtures.change(RecordKind.KEY_CREATED));
    }
  }

  static ApiKey key(String id) {
    return new ApiKey(
        id,
        Fixtures.ORG,
        "a key",
        Set.of(),
        Optional.empty(),
        KeyHash.of(UUID.randomUUID().toString()),
        "sck_abcd",
        Fixtures.NOW,
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
