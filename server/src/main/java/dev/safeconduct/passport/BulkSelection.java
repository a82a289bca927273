package dev.safeconduct.passport;

import dev.safeconduct.db.Reads;
import dev.safeconduct.db.Sql;
import dev.safeconduct.db.Where;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Tenant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Reads the passports that a {@link BulkFilter} selects. */
final class BulkSelection {
  /** The ids in one query, whose text is the same for any number of them. */
  private static final int AT_ONCE = 50;

  private static final String NAMES =
      IntStream.range(0, AT_ONCE).mapToObj(i -> ":a" + i).collect(Collectors.joining(", "));

  private final Reads reads;
  private final Tenant tenant;
  private final BulkFilter filter;
  private final Optional<Passport> template;

  /** {@code template}: the passport of the filter's template, if that names one. */
  BulkSelection(Reads reads, Tenant tenant, BulkFilter filter, Optional<Passport> template) {
    this.template = template;
    this.reads = reads;
    this.tenant = tenant;
    this.filter = filter;
  }

  /** Returns the passports, oldest first or in the order of the filter's agents. */
  List<Passport> passports(int limit) {
    Optional<Set<AgentId>> instances =
        filter
            .template()
            .map(_ ->
                template
                    .map(passport ->
                        Passports.instances(reads, passport.owner(), passport.agentId()))
                    .orElse(Set.of()));
    Optional<List<AgentId>> ids = filter.agents().or(() -> instances.map(List::copyOf));
    if (ids.isEmpty()) {
      return reads.list(query(where(), limit), Passports::read);
    }
    Map<AgentId, Passport> found = new LinkedHashMap<>();
    for (int i = 0; i < ids.get().size() && found.size() < limit; i += AT_ONCE) {
      for (Passport passport :
          some(ids.get().subList(i, Math.min(i + AT_ONCE, ids.get().size())), limit)) {
        if (instances.isEmpty() || instances.get().contains(passport.agentId())) {
          found.put(passport.agentId(), passport);
        }
      }
    }
    return found.values().stream().limit(limit).toList();
  }

  /** An imported passport is also found by the id of its UUID. */
  private List<Passport> some(List<AgentId> ids, int limit) {
    var values = new ArrayList<Object>();
    for (int i = 0; i < AT_ONCE; i++) {
      values.add(ids.get(Math.min(i, ids.size() - 1)));
    }
    Where where =
        where().and("(agent_id IN (" + NAMES + ") OR alias IN (" + NAMES + "))", values.toArray());
    return reads.list(query(where, limit), Passports::read);
  }

  private Where where() {
    var where = Where.of(tenant, "org");
    filter.org().ifPresent(org -> where.and("org = :org", org));
    filter
        .framework()
        .ifPresent(
            name -> where.and("frameworks LIKE :framework ESCAPE '!'", Passports.line(name)));
    filter
        .capability()
        .ifPresent(id -> where.and("capabilities LIKE :capability ESCAPE '!'", Passports.line(id)));
    return where;
  }

  private static Sql query(Where where, int limit) {
    return Sql.of(Passports.SELECT, where, "ORDER BY created_at, agent_id LIMIT :limit", limit);
  }
}
