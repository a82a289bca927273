package dev.safeconduct.simulate.suggest;

import dev.safeconduct.audit.AuditFilter;
import dev.safeconduct.audit.AuditLog;
import dev.safeconduct.audit.Decision;
import dev.safeconduct.audit.DecisionJson;
import dev.safeconduct.db.Reads;
import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.DecisionHistory;
import dev.safeconduct.simulate.PackReads;
import dev.safeconduct.simulate.RecordedContext;
import dev.safeconduct.simulate.Replay;
import dev.safeconduct.verify.EvaluatedContext;
import dev.safeconduct.verify.RecordDetails;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/** The recorded decisions that one passport took part in, its instances' included, in log order. */
final class Evidence {
  private static final int PAGE = 1_000;

  private final Reads reads;
  private final PolicyCatalog packs;
  private final Suggest.Request request;
  private final AuditFilter filter;
  private final Set<AgentId> instances;
  private final Set<UUID> released;
  private final Set<UUID> approved;
  private final Map<String, PackReads> packReads = new HashMap<>();

  Evidence(Reads reads, PolicyCatalog packs, Suggest.Request request) {
    this.reads = reads;
    this.packs = packs;
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
    filter =
        new AuditFilter(
            Optional.of(RecordKind.DECISION),
            instances.isEmpty() ? Optional.of(agent) : Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(lead),
            Optional.of(request.to()));
  }

  /** A decision that should stay allowed. */
  sealed interface Item {
    UUID id();

    /**
     * A decision whose inputs are recorded.
     *
     * @param lead whether it is before the period and only fills the counters
     * @param kept whether its charges counted until they expired
     */
    record Known(
        UUID id, Instant at, PolicyPack pack, EvaluatedContext context, boolean lead, boolean kept)
        implements Item {}

    /** A decision whose inputs are not recorded; {@code pack} is empty if it is not built in. */
    record Unrecorded(UUID id, Optional<PolicyPack> pack, String why) implements Item {}
  }

  /**
   * Passes each decision to {@code each}, oldest first.
   *
   * @throws dev.safeconduct.error.ProblemException 400 if there are more than the request's limit
   */
  void each(Consumer<Item> each) {
    var log = new AuditLog(reads);
    Tenant org = new Tenant.One(request.passport().owner());
    long after = -1;
    long seen = 0;
    List<StoredRecord> page;
    do {
      page = log.ascending(org, filter, after, PAGE);
      for (StoredRecord record : page) {
        after = record.logIndex();
        if (concerns(record.entry())) {
          seen++;
          if (seen > request.most()) {
            throw Suggest.tooMuch(request.most());
          }
          item(record.entry()).ifPresent(each);
        }
      }
    } while (page.size() == PAGE);
  }

  private boolean concerns(AuditRecord entry) {
    return instances.isEmpty()
        || entry
            .agent()
            .filter(
                agent -> agent.equals(request.passport().agentId()) || instances.contains(agent))
            .isPresent();
  }

  private boolean counts(AuditRecord entry) {
    return entry.allow().orElse(false)
        || switch (request.denied()) {
          case NONE -> false;
          case APPROVED ->
              entry.code().filter(ReasonCode.APPROVAL_REQUIRED::is).isPresent()
                  && approved.contains(entry.id());
          case ALL -> true;
        };
  }

  private Optional<Item> item(AuditRecord entry) {
    boolean lead = entry.at().isBefore(request.from());
    if (!counts(entry)) {
      return Optional.empty();
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
            !released.contains(entry.id())));
  }
}
