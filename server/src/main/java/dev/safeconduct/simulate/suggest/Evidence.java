package dev.safeconduct.simulate.suggest;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.db.Reads;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.AuditRows;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.HostedPacks;
import dev.safeconduct.simulate.DecisionHistory;
import dev.safeconduct.simulate.PackReads;
import dev.safeconduct.simulate.RecordedContext;
import dev.safeconduct.simulate.Replay;
import dev.safeconduct.verify.EvaluatedContext;
import dev.safeconduct.verify.RecordDetails;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The recorded decisions that one passport took part in, its instances' included, in log order. */
final class Evidence {
  private static final int PAGE = 1_000;
  private static final int USE_PAGE = 100;

  /** Behind so many pages of what is no use a last use is not looked for. */
  private static final int MOST_USE_PAGES = 20;

  private static final String NO_DRY_RUN = "\"" + DecisionJson.DRY_RUN + "\":false";
  private static final String HOSTED_PACK =
      "\"" + DecisionJson.POLICY_SOURCE + "\":\"" + Decision.Source.REGISTRY.wire() + "\"";

  private final Reads reads;
  private final PolicyCatalog packs;
  private final Suggest.Request request;
  private final Tenant tenant;
  private final AuditFilter filter;
  private final Set<AgentId> instances;
  private final Map<UUID, Instant> released;
  private final Set<UUID> approved;
  private final Map<String, PackReads> packReads = new HashMap<>();
  private final Map<String, Optional<PolicyPack>> ownPacks = new HashMap<>();
  private final PackReader reader;

  /** The positions of the records that follow a position. */
  private final Map<Long, long[]> positions = new HashMap<>();

  Evidence(Reads reads, PolicyCatalog packs, PackReader reader, Suggest.Request request) {
    this.reads = reads;
    this.packs = packs;
    this.reader = reader;
    this.request = request;
    OrgId org = request.passport().owner();
    AgentId agent = request.passport().agentId();
    instances = Passports.instances(reads, org, agent);
    // Counters are filled from a day before.
    Instant lead = request.from().minus(Replay.LEAD);
    var span = new DecisionHistory.Span(Optional.of(org), "", lead, request.to());
    var past = new DecisionHistory(reads);
    released = past.released(span);
    approved = request.denied() == Suggest.Denied.APPROVED ? past.approved(span) : Set.of();
    tenant = new Tenant.One(org);
    filter = filter(Optional.empty(), Optional.empty(), Optional.of(lead));
  }

  private AuditFilter filter(
      Optional<String> pack, Optional<Boolean> allow, Optional<Instant> from) {
    AgentId agent = request.passport().agentId();
    return new AuditFilter(
        Optional.of(RecordKind.DECISION),
        instances.isEmpty() ? Optional.of(agent) : Optional.empty(),
        pack,
        allow,
        Optional.empty(),
        from,
        Optional.of(request.to()),
        among(agent));
  }

  /** The passport and its instances, unless they are too many to search for. */
  private Set<AgentId> among(AgentId agent) {
    if (instances.isEmpty() || instances.size() >= AuditFilter.MOST_AGENTS) {
      return Set.of();
    }
    var all = new HashSet<>(instances);
    all.add(agent);
    return all;
  }

  /** A decision that should stay allowed. */
  sealed interface Item {
    UUID id();

    /**
     * A decision whose inputs are recorded.
     *
     * @param lead whether it is before the period and only fills the counters
     * @param released when its charges were given back, if they were
     */
    record Known(
        UUID id,
        Instant at,
        PolicyPack pack,
        EvaluatedContext context,
        boolean lead,
        Optional<Instant> released)
        implements Item {}

    /**
     * A decision that cannot be replayed.
     *
     * @param pack empty if it is not known which limits it read
     */
    record Unrecorded(UUID id, Optional<PolicyPack> pack, String why) implements Item {}
  }

  /** Takes a decision, with what its pack's evaluation gave; false ends the reading. */
  interface Reader {
    boolean take(Item item, ByPack.Result result);
  }

  /**
   * Passes each decision to {@code each}, oldest first, after its pack's evaluation.
   *
   * @return whether all were read
   * @throws dev.safeconduct.error.ProblemException 400 if there are more than the request's limit
   */
  boolean each(ByPack byPack, Reader each) {
    // Records are read and parsed while those before them are evaluated.
    int threads = request.shared() ? 1 : Runtime.getRuntime().availableProcessors();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Page> next = executor.submit(() -> page(-1, 0));
      for (Page page = next.get(); ; page = next.get()) {
        if (page.seen() > request.most()) {
          throw Suggest.tooMuch(request.most());
        }
        Page read = page;
        if (!page.last()) {
          next = executor.submit(() -> page(read.end(), read.seen()));
        }
        ByPack.Result[] results = byPack.take(page.items(), threads, executor);
        for (int i = 0; i < results.length; i++) {
          if (!each.take(page.items().get(i), results[i])) {
            return false;
          }
        }
        if (page.last()) {
          return true;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ProblemException.unavailable("The service is stopping.", 1);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause; // of the database, which the caller words
      }
      if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw new IllegalStateException("the evidence cannot be evaluated", e.getCause());
    }
  }

  /**
   * Decisions in the log's order.
   *
   * @param end the position of the last record
   * @param seen the number of decisions read up to there, those of other agents included
   * @param last whether no record follows
   */
  private record Page(List<Item> items, long end, long seen, boolean last) {}

  private Page page(long after, long before) {
    List<StoredRecord> records = records(after);
    var items = new ArrayList<Item>(records.size());
    for (StoredRecord record : records) {
      if (concerns(record.entry())) {
        item(record.entry()).ifPresent(items::add);
      }
    }
    return new Page(
        items,
        records.isEmpty() ? after : records.getLast().logIndex(),
        before + records.size(),
        records.size() < PAGE);
  }

  /** The records after a position; once they are found, they are read again by their positions. */
  private List<StoredRecord> records(long after) {
    long[] known = positions.get(after);
    if (known != null && known.length > 0) {
      String listed =
          LongStream.of(known).mapToObj(String::valueOf).collect(Collectors.joining(", "));
      return reads.list(
          AuditRows.SELECT + "WHERE log_index IN (" + listed + ") ORDER BY log_index",
          AuditRows::read);
    }
    List<StoredRecord> found = new AuditLog(reads).ascending(tenant, filter, after, PAGE);
    positions.put(after, found.stream().mapToLong(StoredRecord::logIndex).toArray());
    return found;
  }

  private boolean concerns(AuditRecord entry) {
    return instances.isEmpty()
        || entry
            .agent()
            .filter(
                agent -> agent.equals(request.passport().agentId()) || instances.contains(agent))
            .isPresent();
  }

  /** Returns when a pack last allowed something before the end of the period. */
  Optional<Instant> lastUse(PolicyId pack) {
    AuditFilter allowed = filter(Optional.of(pack.value()), Optional.of(true), Optional.empty());
    long before = Long.MAX_VALUE;
    for (int i = 0; i < MOST_USE_PAGES; i++) {
      List<StoredRecord> page = new AuditLog(reads).list(tenant, allowed, before, USE_PAGE);
      for (StoredRecord record : page) {
        if (concerns(record.entry()) && isUse(record.entry())) {
          return Optional.of(record.entry().at());
        }
        before = record.logIndex();
      }
      if (page.size() < USE_PAGE) {
        break;
      }
    }
    return Optional.empty();
  }

  /** Dry runs allow nothing, and what only observe mode allowed needed no capability. */
  private static boolean isUse(AuditRecord allowed) {
    return allowed.code().filter(ReasonCode.OBSERVED::is).isEmpty()
        && DecisionJson.read(allowed.body())
            .filter(decision -> decision.validity().dryRun())
            .isEmpty();
  }

  private boolean counts(AuditRecord entry) {
    return (entry.allow().orElse(false) && entry.code().filter(ReasonCode.OBSERVED::is).isEmpty())
        || switch (request.denied()) {
          case NONE -> false;
          case APPROVED ->
              entry.code().filter(ReasonCode.APPROVAL_REQUIRED::is).isPresent()
                  && approved.contains(entry.id());
          case ALL -> true;
        };
  }

  /**
   * Returns a decision by a built-in pack whose context is recorded as it was sent. Most are, and
   * need no parse of the decision: in canonical JSON a quote inside a text is escaped, so what is
   * searched can occur only as a member.
   */
  private Optional<Item> plain(AuditRecord entry) {
    Optional<PolicyPack> pack = entry.policyId().flatMap(packs::find);
    String body = new String(entry.body(), StandardCharsets.ISO_8859_1);
    if (pack.isEmpty() || !body.contains(NO_DRY_RUN) || !body.contains(HOSTED_PACK)) {
      return Optional.empty();
    }
    Optional<JsonObject> details = Json.kept(entry.details());
    return details
        .flatMap(found -> found.object("context"))
        .filter(_ -> details.get().string(RecordDetails.AUTHZEN).isEmpty())
        .filter(context ->
            body.contains(
                "\"" + DecisionJson.CONTEXT_DIGEST + "\":\"" + CanonicalJson.digest(context)))
        .map(context ->
            new Item.Known(
                entry.id(),
                entry.at(),
                pack.get(),
                EvaluatedContext.of(pack.get(), context),
                entry.at().isBefore(request.from()),
                Optional.ofNullable(released.get(entry.id()))));
  }

  /** Returns the version of the organization's policy, if it reads only limits of its own. */
  private Optional<PolicyPack> own(Decision.Policy policy) {
    return ownPacks.computeIfAbsent(
        policy.digest(),
        digest ->
            HostedPacks.published(reads, request.passport().owner(), policy.id(), digest)
                .flatMap(document -> {
                  try {
                    return Optional.of(reader.compile(document));
                  } catch (PackFault e) {
                    return Optional.empty(); // no longer valid in this release
                  }
                })
                .filter(pack -> !new PackReads(pack).readsPassport()));
  }

  private Optional<Item> item(AuditRecord entry) {
    boolean lead = entry.at().isBefore(request.from());
    if (!counts(entry)) {
      return Optional.empty();
    }
    Optional<Item> plain = plain(entry);
    if (plain.isPresent()) {
      return plain;
    }
    Optional<Decision> read = DecisionJson.read(entry.body());
    // A policy of a request or an organization may have the id of a built-in one.
    boolean other =
        read.filter(one -> one.policy().source() != Decision.Source.REGISTRY).isPresent();
    Optional<PolicyPack> pack = other ? Optional.empty() : entry.policyId().flatMap(packs::find);
    Optional<JsonObject> details = Json.kept(entry.details());
    Optional<JsonObject> context = details.flatMap(found -> found.object("context"));
    if (read.filter(one -> one.validity().dryRun()).isPresent()) {
      return Optional.empty();
    }
    if (!other && pack.isEmpty() && read.isPresent()) {
      return lead
          ? Optional.empty()
          : Optional.of(
              new Item.Unrecorded(
                  entry.id(), own(read.get().policy()), "the policy is not built in"));
    }
    String why =
        read.isEmpty() || details.isEmpty()
            ? "the record was erased"
            : pack.isEmpty()
                ? "the policy is not built in"
                : context.isEmpty()
                    ? "the context is not recorded"
                    : details.get().string(RecordDetails.AUTHZEN).isPresent()
                        ? "an AuthZEN caller named the subject and its properties"
                        : "";
    if (!why.isEmpty()) {
      return lead ? Optional.empty() : Optional.of(new Item.Unrecorded(entry.id(), pack, why));
    }
    PolicyPack known = pack.orElseThrow();
    RecordedContext recorded =
        RecordedContext.of(
            context.orElseThrow(),
            read.orElseThrow(),
            known,
            packReads.computeIfAbsent(known.id().value(), _ -> new PackReads(known)));
    if (recorded.missing().isPresent()) {
      return lead
          ? Optional.empty()
          : Optional.of(new Item.Unrecorded(entry.id(), pack, recorded.missing().get()));
    }
    return Optional.of(
        new Item.Known(
            entry.id(),
            read.get().validity().issuedAt(),
            known,
            EvaluatedContext.of(known, recorded.context()),
            lead,
            Optional.ofNullable(released.get(entry.id()))));
  }
}
