package dev.safeconduct.passport;

import dev.safeconduct.access.Directory;
import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Rows;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.ledger.MutationResult;
import dev.safeconduct.ledger.Storage;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stores passports: each document with its search columns. Each change is one transaction with its
 * audit record and publishes {@code agent:<id>} on the change feed. An imported passport with an id
 * of another form is also found, and published, under the id of its UUID.
 */
public final class Passports {
  private static final String COLUMNS =
      "agent_id, org, slug, name, status, revision, created_at, document";

  static final String SELECT = "SELECT " + COLUMNS + " FROM passport";

  /** So many passports of any allowed size take a small part of the memory. */
  private static final int PAGE = 200;

  /** Has no order: with one, SQLite reads all of the organization's passports in that order. */
  private static final String NAMED =
      SELECT + " WHERE org = :org AND lower(name) = lower(:name) LIMIT :limit";

  private static final String INSERT =
      Sql.insert("passport", COLUMNS + ", frameworks, capabilities, search, alias, listed");

  /** What a status change writes. */
  private static final String STATUS =
      """
      UPDATE passport SET status = :status, revision = :revision, document = :document
       WHERE agent_id = :id AND revision = :expected
      """;

  private static final String CHANGED = "changed_meanwhile";

  /** The form of an agent id that encodes a UUID. */
  private static final Pattern FOLDED = Pattern.compile("ap_[0-9a-f]{32}");

  private final Storage storage;

  public Passports(Storage storage) {
    this.storage = storage;
  }

  /**
   * Returns the passport regardless of its owner: for its public view, and for evaluation, which
   * compares owners.
   */
  public Optional<Passport> find(AgentId id) {
    Optional<Passport> found = find(storage.reads(), id);
    return found.isPresent() || !FOLDED.matcher(id.value()).matches()
        ? found
        : storage.first(SELECT + " WHERE alias = :id", Passports::read, id);
  }

  /** Returns the passport whose id has this folded form ({@link AgentId#fold}). */
  public Optional<Passport> findFolded(String folded) {
    String squeezed = folded.replace("-", "").replace("_", "");
    return storage
        .reads()
        .few(
            Sql.of(
                SELECT
                    + " WHERE replace(replace(lower(agent_id), '-', ''), '_', '')"
                    + " IN (:squeezed, :digits) ORDER BY created_at, agent_id",
                squeezed,
                squeezed.startsWith("ap") ? squeezed.substring(2) : squeezed),
            Passports::read)
        .stream()
        .filter(passport -> AgentId.fold(passport.agentId().value()).equals(folded))
        .findFirst();
  }

  /** Returns the passport with exactly that id. */
  public static Optional<Passport> find(Reads reads, AgentId id) {
    return reads.first(SELECT + " WHERE agent_id = :id", Passports::read, id);
  }

  /** Passes on an organization's passports, by the time they were made. */
  public static void each(Reads reads, OrgId org, Consumer<Passport> take) {
    each(reads, org, "", take);
  }

  /** Reads a page at a time: an organization may have more than fit into memory. */
  private static void each(Reads reads, OrgId org, String condition, Consumer<Passport> take) {
    long at = Long.MIN_VALUE;
    String id = "";
    List<Passport> page;
    do {
      page =
          reads.list(
              SELECT
                  + " WHERE org = :org AND (created_at, agent_id) > (:at, :id)"
                  + condition
                  + " ORDER BY created_at, agent_id LIMIT "
                  + PAGE,
              Passports::read,
              org,
              at,
              id);
      page.forEach(take);
      if (!page.isEmpty()) {
        at = page.getLast().createdAt().toEpochMilli();
        id = page.getLast().agentId().value();
      }
    } while (page.size() == PAGE);
  }

  /** Returns how many passports that are not revoked were made from no template. */
  public static long countMadeFromNone(Reads reads, OrgId org) {
    return reads.number(
        Sql.of(
            "SELECT count(*) FROM passport WHERE org = :org AND status <> 'revoked'"
                + " AND document NOT LIKE '%\"parent_agent_id\"%'",
            org));
  }

  /** Returns the agents whose passports are made from the template, directly or not. */
  public static Set<AgentId> instances(Reads reads, OrgId org, AgentId template) {
    record Made(AgentId agent, Optional<String> parent) {}
    var made = new ArrayList<Made>();
    each(
        reads,
        org,
        " AND document LIKE '%\"parent_agent_id\"%'",
        passport ->
            made.add(new Made(passport.agentId(), passport.document().string("parent_agent_id"))));
    var found = new HashSet<AgentId>();
    boolean more = true;
    while (more) {
      more = false;
      for (Made each : made) {
        Optional<AgentId> parent = each.parent().map(AgentId::new);
        boolean below =
            parent.equals(Optional.of(template)) || parent.filter(found::contains).isPresent();
        more |= below && found.add(each.agent());
      }
    }
    return found;
  }

  /** Returns the passport if the tenant may see it. */
  public Optional<Passport> find(Tenant tenant, AgentId id) {
    return find(id).filter(passport -> tenant.sees(passport.owner()));
  }

  /** Returns the number of active passports of the organization, or of all. */
  long active(Optional<OrgId> org) {
    String count = "SELECT count(*) FROM passport WHERE status = 'active'";
    return storage.number(
        org.map(id -> Sql.of(count + " AND org = :org", id)).orElseGet(() -> Sql.of(count)));
  }

  public Optional<Passport> bySlug(Tenant tenant, String slug) {
    var where = Where.of(tenant, "org").and("slug = :slug", slug);
    return storage.first(
        Sql.of(SELECT, where, "ORDER BY created_at, agent_id LIMIT 1"), Passports::read);
  }

  /** Returns the tenant's passports after {@code after}, newest first. */
  public List<Passport> list(
      Tenant tenant, PassportFilter filter, Optional<AgentId> after, int limit) {
    var where = where(tenant, filter);
    String seen = tenant instanceof Tenant.One ? " AND org = :tenant" : "";
    after.ifPresent(place ->
        where.and(
            "(created_at, agent_id) < (SELECT created_at, agent_id FROM passport"
                + " WHERE agent_id = :after"
                + seen
                + ")",
            place));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at DESC, agent_id DESC LIMIT :limit", limit),
        Passports::read);
  }

  /** Returns active, publicly listed passports after {@code after}, newest first. */
  public List<Passport> listed(Optional<AgentId> after, int limit) {
    var where = Where.of(new Tenant.Everyone(), "org").and("listed = 1").and("status = 'active'");
    after.ifPresent(place ->
        where.and(
            """
            (created_at, agent_id) <
            (SELECT created_at, agent_id FROM passport WHERE listed = 1 AND agent_id = :after)
            """,
            place));
    return storage.list(
        Sql.of(SELECT, where, "ORDER BY created_at DESC, agent_id DESC LIMIT :limit", limit),
        Passports::read);
  }

  /**
   * Returns some of the organization's passports whose name, slug or id is the text, ignoring the
   * case of ASCII letters, newest first.
   */
  public List<Passport> named(OrgId org, String text, int limit) {
    String lower = text.toLowerCase(Locale.ROOT);
    return Stream.of(
            Sql.of(NAMED, org, text, limit),
            Sql.of(SELECT + " WHERE org = :org AND slug = :slug", org, lower),
            Sql.of(SELECT + " WHERE agent_id = :id AND org = :org", lower, org))
        .flatMap(query -> storage.list(query, Passports::read).stream())
        .distinct()
        .sorted(Comparator.comparing(Passport::createdAt).reversed())
        .limit(limit)
        .toList();
  }

  /** Returns the total number of passports that match the filter. */
  public long count(Tenant tenant, PassportFilter filter) {
    return storage.number(Sql.of("SELECT count(*) FROM passport", where(tenant, filter)));
  }

  /** Returns the passports that a change of many statuses is about, at most {@code limit}. */
  List<Passport> selected(Tenant tenant, BulkFilter filter, int limit) {
    Optional<Passport> template = filter.template().flatMap(id -> find(tenant, id));
    return new BulkSelection(storage.reads(), tenant, filter, template).passports(limit);
  }

  /** Returns passports of the organization that are not revoked, at most {@code limit}. */
  List<Passport> live(OrgId org, int limit) {
    return storage.list(
        SELECT + " WHERE org = :org AND status <> 'revoked' LIMIT :limit",
        Passports::read,
        org,
        limit);
  }

  private static Where where(Tenant tenant, PassportFilter filter) {
    var where = Where.of(tenant, "org");
    filter.status().ifPresent(status -> where.and("status = :status", status.wire()));
    filter
        .framework()
        .ifPresent(name -> where.and("frameworks LIKE :framework ESCAPE '!'", line(name)));
    filter
        .capability()
        .ifPresent(id -> where.and("capabilities LIKE :capability ESCAPE '!'", line(id)));
    filter
        .text()
        .map(text -> text.toLowerCase(Locale.ROOT))
        .ifPresent(text -> where.and("search LIKE :text ESCAPE '!'", "%" + literal(text) + "%"));
    return where;
  }

  static String line(String name) {
    return "%\n" + literal(name) + "\n%";
  }

  private static String literal(String text) {
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_");
  }

  /**
   * Inserts the passport.
   *
   * @throws dev.safeconduct.error.ProblemException {@code Conflict} if the id or slug is taken
   */
  public void create(Passport passport, AuditRecord entry) {
    storage.change(creating(passport, entry));
  }

  /** Returns the insertion of the passport, to commit it together with other changes. */
  public static Mutation<Boolean> creating(Passport passport, AuditRecord entry) {
    return connection -> {
      Directory.demand(connection, passport.owner());
      insert(connection, passport);
      return MutationResult.of(true, entry, changes(passport));
    };
  }

  /** Inserts the passport within a transaction, as {@link #create} does. */
  public static void insert(Connection connection, Passport passport) throws SQLException {
    for (String name : names(passport)) {
      if (Sql.of("SELECT 1 FROM passport WHERE agent_id = :name OR alias = :name", name)
          .exists(connection)) {
        throw Passport.idTaken(name);
      }
    }
    write(connection, passport);
  }

  /** Commits a replacement, with what was added to its transaction. */
  boolean change(Mutation<Boolean> replacement) {
    return storage.change(replacement);
  }

  /**
   * Returns the replacement of the passport if its stored revision is still {@code
   * expectedRevision}, to commit it together with other changes. It returns false if the revision
   * differs; then nothing is written. It throws {@code Conflict} if the slug is taken.
   */
  public static Mutation<Boolean> replacing(
      Passport passport, long expectedRevision, AuditRecord entry) {
    return connection ->
        MutationResult.when(
            replace(connection, passport, expectedRevision), entry, changes(passport));
  }

  /** Replaces the passport within a transaction, as {@link #replacing} does. */
  public static boolean replace(Connection connection, Passport passport, long expectedRevision)
      throws SQLException {
    boolean found =
        Sql.of(
                    "DELETE FROM passport WHERE agent_id = :id AND revision = :revision",
                    passport.agentId(),
                    expectedRevision)
                .update(connection)
            == 1;
    if (found) {
      write(connection, passport);
    }
    return found;
  }

  /**
   * Replaces passports of which only the status differs, with their records, all or none.
   *
   * @param emailed adds the emails about them to the transaction
   * @return false if one of them has changed meanwhile; then nothing is written
   */
  boolean replaceStatuses(List<PassportChange> changes, UnaryOperator<Mutation<Boolean>> emailed) {
    try {
      return storage.change(
          emailed.apply(connection -> {
            List<Sql> statements =
                changes.stream()
                    .map(change ->
                        Sql.of(STATUS)
                            .set("id", change.after().agentId())
                            .set("status", change.after().status().wire())
                            .set("document", change.after().document())
                            .set("revision", change.after().revision())
                            .set("expected", change.before().revision()))
                    .toList();
            if (Arrays.stream(Sql.updateAll(connection, statements)).anyMatch(rows -> rows != 1)) {
              throw ProblemException.conflict("A passport was changed meanwhile.", CHANGED);
            }
            return new MutationResult<>(
                true,
                changes.stream().map(PassportChange::entry).toList(),
                changes.stream().flatMap(each -> Stream.of(changes(each.after()))).toList());
          }));
    } catch (ProblemException e) {
      if (e.problem() instanceof Problem.Conflict conflict && conflict.reason().equals(CHANGED)) {
        return false;
      }
      throw e;
    }
  }

  private static void write(Connection connection, Passport passport) throws SQLException {
    if (passport.slug().isPresent()
        && Sql.of(
                "SELECT 1 FROM passport WHERE org = :org AND slug = :slug AND agent_id <> :id",
                passport.owner(),
                passport.slug(),
                passport.agentId())
            .exists(connection)) {
      throw passport.slugTaken();
    }
    Sql.of(INSERT)
        .set("agent_id", passport.agentId())
        .set("org", passport.owner())
        .set("slug", passport.slug())
        .set("name", passport.name())
        .set("status", passport.status().wire())
        .set("revision", passport.revision())
        .set("created_at", passport.createdAt())
        .set("document", passport.document())
        .set("frameworks", lines(passport.document().get("framework")))
        .set("capabilities", lines(passport.document().get("capabilities")))
        .set("search", search(passport))
        .set("alias", alias(passport))
        .set("listed", isListed(passport))
        .update(connection);
  }

  /** Returns the ids under which the passport is found. */
  static List<AgentId> ids(Passport passport) {
    return names(passport).stream().map(AgentId::new).toList();
  }

  /** Returns all ids of the passport: its own and, if different, the id of its UUID. */
  private static List<String> names(Passport passport) {
    String id = passport.agentId().value();
    return alias(passport).map(alias -> List.of(id, alias.value())).orElse(List.of(id));
  }

  /** Returns the change feed subjects that a change of the passport invalidates. */
  public static String[] changes(Passport passport) {
    return names(passport).stream().map(Change::agent).toArray(String[]::new);
  }

  /**
   * Returns the id that the passport's UUID encodes, if the passport was imported with another id.
   */
  private static Optional<AgentId> alias(Passport passport) {
    return passport
        .document()
        .string("passport_id")
        .flatMap(AgentId::hosted)
        .filter(id -> FOLDED.matcher(id.value()).matches() && !id.equals(passport.agentId()));
  }

  private static boolean isListed(Passport passport) {
    return passport.document().isTrue("claimed")
        && passport
            .document()
            .object("metadata")
            .filter(metadata -> metadata.isTrue("show_in_gallery"))
            .isPresent();
  }

  private static String search(Passport passport) {
    return (passport.name() + "\n" + passport.slug().orElse("") + "\n" + passport.agentId().value())
        .toLowerCase(Locale.ROOT);
  }

  /** Returns the names in a list of strings or of objects with an id, one per line. */
  private static String lines(@Nullable JsonValue list) {
    var names = new ArrayList<String>();
    List<JsonValue> elements =
        switch (list) {
          case JsonArray array -> array.elements();
          case JsonString text -> List.of(text);
          case null, default -> List.of();
        };
    for (JsonValue element : elements) {
      if (element instanceof JsonString(String text)) {
        names.add(text);
      } else if (element instanceof JsonObject object) {
        object.string("id").ifPresent(names::add);
      }
    }
    return "\n" + String.join("\n", names) + "\n";
  }

  static Passport read(ResultSet row) throws SQLException {
    String status = row.getString("status");
    return new Passport(
        new AgentId(row.getString("agent_id")),
        new OrgId(row.getString("org")),
        Rows.text(row, "slug"),
        row.getString("name"),
        PassportStatus.parse(status)
            .orElseThrow(() -> new SQLException("no such status: " + status)),
        row.getLong("revision"),
        Rows.time(row, "created_at"),
        Rows.json(row, "document"));
  }
}
