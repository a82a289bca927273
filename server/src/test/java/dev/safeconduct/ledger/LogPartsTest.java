package dev.safeconduct.ledger;

import static dev.safeconduct.ledger.Fixtures.NOW;
import static dev.safeconduct.ledger.Fixtures.ORG;
import static dev.safeconduct.ledger.Fixtures.OTHER;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.CountDecisions;
import dev.safeconduct.audit.DecisionCounts;
import dev.safeconduct.audit.Erasures;
import dev.safeconduct.db.PostgresUrl;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.StoreConfig;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is looked for by parts of the log is what a look at every record finds. */
final class LogPartsTest extends StoreContract {
  private static final Tenant MINE = new Tenant.One(ORG);
  private static final int RECORDS = 2_600;
  private int written;

  private static final List<String> POLICIES = List.of("p1", "p2", "p3");

  /** Looks into the database from outside. */
  private Connection connection() throws Exception {
    return switch (config()) {
      case StoreConfig.Sqlite(Path folder) ->
          DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("safeconduct.db"));
      case StoreConfig.Postgres postgres ->
          DriverManager.getConnection(
              PostgresUrl.parse(postgres.databaseUrl()).jdbc().getFirst(), "postgres", "x");
    };
  }

  @Test
  void everyFilterFindsWhatAScanFindsAtAnyStateOfTheCounting() throws Exception {
    var random = new Random(11);
    write(random, RECORDS / 2);
    compare(random); // nothing is counted: all of it is looked through
    assertThat(counting().step()).isTrue();
    compare(random);
    write(random, RECORDS / 2);
    compare(random); // the end is not counted
    assertThat(counting().step()).isTrue();
    compare(random);
    try (Connection connection = connection();
        Statement statement = connection.createStatement()) {
      statement.execute("ANALYZE"); // The order must not depend on the plan.
    }
    compare(random);
  }

  private CountDecisions counting() {
    return new CountDecisions(new DecisionCounts(store()), () -> NOW);
  }

  private void compare(Random random) {
    List<StoredRecord> all =
        new AuditLog(store().reads())
            .list(new Tenant.Everyone(), AuditFilter.ALL, Long.MAX_VALUE, 99_999);
    for (int i = 0; i < 40; i++) {
      AuditFilter filter = filter(random);
      long from = random.nextInt(RECORDS);
      int limit = 1 + random.nextInt(120);
      List<Long> fits =
          all.stream()
              .filter(record -> record.entry().org().equals(ORG) && fits(record.entry(), filter))
              .map(StoredRecord::logIndex)
              .toList();
      assertThat(places(new AuditLog(store().reads()).list(MINE, filter, Long.MAX_VALUE, limit)))
          .as(filter.toString())
          .isEqualTo(fits.stream().limit(limit).toList());
      assertThat(places(new AuditLog(store().reads()).list(MINE, filter, from, limit)))
          .as(filter + " before " + from)
          .isEqualTo(fits.stream().filter(place -> place < from).limit(limit).toList());
      assertThat(places(new AuditLog(store().reads()).ascending(MINE, filter, from, limit)))
          .as(filter + " after " + from)
          .isEqualTo(fits.reversed().stream().filter(place -> place > from).limit(limit).toList());
      assertThat(places(new AuditLog(store().reads()).later(ORG, filter, from, limit)))
          .as(filter + " later than " + from)
          .isEqualTo(fits.stream().filter(place -> place > from).limit(limit).toList());
    }
  }

  private static boolean fits(AuditRecord entry, AuditFilter filter) {
    return filter.kind().map(kind -> kind == entry.kind()).orElse(true)
        && filter.agent().map(agent -> entry.agent().equals(Optional.of(agent))).orElse(true)
        && filter.policyId().map(id -> entry.policyId().equals(Optional.of(id))).orElse(true)
        && filter.allow().map(allow -> entry.allow().equals(Optional.of(allow))).orElse(true)
        && filter.code().map(code -> entry.code().equals(Optional.of(code))).orElse(true)
        && filter.from().map(from -> !entry.at().isBefore(from)).orElse(true)
        && filter.to().map(to -> entry.at().isBefore(to)).orElse(true)
        && (filter.agents().isEmpty()
            || entry.agent().filter(filter.agents()::contains).isPresent());
  }

  private static AuditFilter filter(Random random) {
    return new AuditFilter(
        random.nextInt(3) == 0 ? Optional.of(RecordKind.DECISION) : Optional.empty(),
        random.nextInt(2) == 0 ? Optional.of(agent(random)) : Optional.empty(),
        random.nextInt(3) == 0
            ? Optional.of(POLICIES.get(random.nextInt(POLICIES.size())))
            : Optional.empty(),
        random.nextInt(3) == 0 ? Optional.of(random.nextInt(10) > 0) : Optional.empty(),
        random.nextInt(3) == 0 ? Optional.of("code" + random.nextInt(30)) : Optional.empty(),
        random.nextInt(3) == 0 ? Optional.of(time(random.nextInt(RECORDS))) : Optional.empty(),
        random.nextInt(3) == 0 ? Optional.of(time(random.nextInt(RECORDS))) : Optional.empty(),
        Stream.generate(() -> agent(random)).limit(random.nextInt(4)).collect(toSet()));
  }

  /** Two seconds between records, and the clocks of their nodes some minutes apart. */
  private static Instant time(int place) {
    return NOW.plusMillis(2_000L * place);
  }

  /** A few are in every part, some in one or none. */
  private static AgentId agent(Random random) {
    return new AgentId("ap_" + (int) Math.pow(2, random.nextDouble() * 9));
  }

  private static List<Long> places(List<StoredRecord> records) {
    return records.stream().map(StoredRecord::logIndex).toList();
  }

  private void write(Random random, int count) throws Exception {
    var writes = new ArrayList<Callable<Object>>();
    for (int i = 0; i < count; i++) {
      AuditRecord record =
          record(
              random.nextInt(9) == 0 ? OTHER : ORG,
              agent(random),
              POLICIES.get((int) Math.sqrt(random.nextInt(9))),
              random.nextInt(20) > 0,
              "code" + (int) Math.pow(30, random.nextDouble()),
              time(written++).plusMillis(random.nextInt(300_000)));
      writes.add(() -> commit(record));
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var write : threads.invokeAll(writes)) {
        write.get();
      }
    }
  }

  private Object commit(AuditRecord record) {
    return new Ledger(store())
        .commit(
            new LedgerEntry(
                record,
                List.of(),
                List.of(),
                new ReadSet(Long.MAX_VALUE, List.of()),
                Optional.empty()));
  }

  private static AuditRecord record(
      OrgId org, AgentId agent, String policy, boolean allow, String code, Instant at) {
    return new AuditRecord(
        UUID.randomUUID(),
        RecordKind.DECISION,
        org,
        at,
        Optional.of(agent),
        Optional.of(policy),
        Optional.of(allow),
        Optional.of(code),
        new byte[] {1},
        new byte[64],
        new byte[] {2});
  }

  @Test
  void anErasedAgentOccursNowhere() throws Exception {
    var agent = new AgentId("ap_erased");
    commit(record(ORG, agent, "p1", true, "c", NOW));
    commit(record(ORG, new AgentId("ap_kept"), "p1", true, "c", NOW));
    AuditRecord second = record(ORG, agent, "p1", true, "c", NOW);
    commit(second);
    counting().step();
    assertThat(named(agent)).isEqualTo(1);

    erase(new Erasures.Selection.One(second.id()));
    assertThat(named(agent)).as("one is left there").isEqualTo(1);
    erase(
        new Erasures.Selection.Matching(
            new AuditFilter(
                Optional.empty(),
                Optional.of(agent),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Set.of())));

    assertThat(named(agent)).isZero();
    assertThat(named(new AgentId("ap_kept"))).isEqualTo(1);
  }

  @Test
  void anAgentErasedBeforeItWasCountedOccursNowhere() throws Exception {
    CountDecisions counting = counting();
    for (int i = 0; i < 3; i++) {
      AuditRecord gone = record(ORG, new AgentId("ap_gone" + i), "p1", true, "c", NOW);
      commit(gone);
      commit(record(ORG, new AgentId("ap_kept"), "p1", true, "c", NOW));
      erase(new Erasures.Selection.One(gone.id()));
    }
    commit(record(ORG, new AgentId("ap_kept"), "p1", true, "c", NOW));
    assertThat(counting.step()).isTrue();
    assertThat(named(new AgentId("ap_kept"))).isEqualTo(1);
    for (int i = 0; i < 3; i++) {
      assertThat(named(new AgentId("ap_gone" + i))).isZero();
    }
  }

  private void erase(Erasures.Selection selection) {
    assertThat(
            new Erasures(store())
                .erase(ORG, selection, 10, _ -> Fixtures.change(RecordKind.ERASURE)))
        .isPresent();
  }

  private int named(AgentId agent) throws Exception {
    try (Connection connection = connection()) {
      return (int)
          Sql.of("SELECT count(*) FROM log_part WHERE name = :name", agent).number(connection);
    }
  }
}
