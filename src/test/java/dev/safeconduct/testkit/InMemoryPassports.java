package dev.safeconduct.testkit;

import dev.safeconduct.audit.AuditRecord;
import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportFilter;
import dev.safeconduct.passport.PassportStatus;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.problem.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** Passports in memory. */
public final class InMemoryPassports implements Passports {
  private final InMemoryChanges changes;
  private final Map<AgentId, Passport> passports = new LinkedHashMap<>();

  public InMemoryPassports(InMemoryChanges changes) {
    this.changes = changes;
  }

  @Override
  public synchronized Optional<Passport> find(AgentId id) {
    return Optional.ofNullable(passports.get(id));
  }

  @Override
  public synchronized Optional<Passport> find(Tenant tenant, AgentId id) {
    return find(id).filter(passport -> tenant.sees(passport.owner()));
  }

  @Override
  public synchronized Optional<Passport> bySlug(Tenant tenant, String slug) {
    return passports.values().stream()
        .filter(each -> tenant.sees(each.owner()) && each.slug().equals(Optional.of(slug)))
        .findFirst();
  }

  @Override
  public synchronized List<Passport> list(
      Tenant tenant, PassportFilter filter, Optional<AgentId> after, int limit) {
    return page(matching(tenant, filter).reversed(), after, limit);
  }

  private static List<Passport> page(List<Passport> newest, Optional<AgentId> after, int limit) {
    int from =
        after.map(id -> newest.stream().map(Passport::agentId).toList().indexOf(id) + 1).orElse(0);
    return newest.stream().skip(from).limit(limit).toList();
  }

  @Override
  public synchronized List<Passport> listed(Optional<AgentId> after, int limit) {
    List<Passport> newest =
        passports.values().stream()
            .filter(each -> isListed(each) && each.status() == PassportStatus.ACTIVE)
            .toList()
            .reversed();
    return page(newest, after, limit);
  }

  @Override
  public synchronized long count(Tenant tenant, PassportFilter filter) {
    return matching(tenant, filter).size();
  }

  @Override
  public synchronized void create(Passport passport, AuditRecord entry) {
    if (passports.containsKey(passport.agentId())) {
      throw new Problem.Conflict("The id is taken.", "agent_id_taken").toException();
    }
    refuseTakenSlug(passport);
    passports.put(passport.agentId(), passport);
    changes.commit(entry, Change.agent(passport.agentId().value()));
  }

  @Override
  public synchronized boolean replace(Passport passport, long expected, AuditRecord entry) {
    if (find(passport.agentId()).filter(each -> each.revision() == expected).isEmpty()) {
      return false;
    }
    refuseTakenSlug(passport);
    passports.put(passport.agentId(), passport);
    changes.commit(entry, Change.agent(passport.agentId().value()));
    return true;
  }

  private void refuseTakenSlug(Passport passport) {
    boolean taken =
        passports.values().stream()
            .anyMatch(each ->
                each.slug().equals(passport.slug()) && !each.agentId().equals(passport.agentId()));
    if (passport.slug().isPresent() && taken) {
      throw new Problem.Conflict("The slug is taken.", "slug_taken").toException();
    }
  }

  private static boolean isListed(Passport passport) {
    JsonObject document = passport.document();
    return document.isTrue("claimed")
        && document.object("metadata").filter(each -> each.isTrue("show_in_gallery")).isPresent();
  }

  private List<Passport> matching(Tenant tenant, PassportFilter filter) {
    return passports.values().stream()
        .filter(each -> tenant.sees(each.owner()))
        .filter(each -> filter.status().map(is -> is == each.status()).orElse(true))
        .filter(each -> filter.framework().map(is -> strings(each, is)).orElse(true))
        .filter(each -> filter.capability().map(is -> holds(each, is)).orElse(true))
        .filter(each -> filter.text().map(is -> mentions(each, is)).orElse(true))
        .toList();
  }

  private static boolean strings(Passport passport, String framework) {
    return passport
        .document()
        .array("framework")
        .orElse(JsonArray.EMPTY)
        .strings()
        .anyMatch(framework::equals);
  }

  private static boolean holds(Passport passport, String capability) {
    JsonArray held = passport.document().array("capabilities").orElse(JsonArray.EMPTY);
    return StreamSupport.stream(held.spliterator(), false)
        .anyMatch(each ->
            each instanceof JsonObject object
                && object.string("id").equals(Optional.of(capability)));
  }

  private static boolean mentions(Passport passport, String text) {
    String all =
        passport.name() + "\n" + passport.slug().orElse("") + "\n" + passport.agentId().value();
    return all.toLowerCase(Locale.ROOT).contains(text.toLowerCase(Locale.ROOT));
  }
}
