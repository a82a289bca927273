package dev.safeconduct.passport;

import dev.safeconduct.access.Directory;
import dev.safeconduct.access.Rights;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Changes the status of all passports that a filter selects. The changes and their audit records
 * are one transaction; receivers are notified afterwards.
 */
public final class BulkStatus {
  /**
   * The maximum number of passports in one change. Decisions on every node wait for its
   * transaction, and fail when it takes two seconds.
   */
  static final int MOST = 1_000;

  private final Passports passports;
  private final Recorder recorder;
  private final StatusReceivers receivers;
  private final Directory directory;

  public BulkStatus(
      Passports passports, Recorder recorder, StatusReceivers receivers, Directory directory) {
    this.passports = passports;
    this.directory = directory;
    this.recorder = recorder;
    this.receivers = receivers;
  }

  /**
   * A requested change.
   *
   * @param dryRun whether to change nothing and answer what would change
   * @param expect the digest of the selection that somebody has seen; a different one is refused
   */
  record Ask(
      BulkFilter filter,
      PassportStatus next,
      String reason,
      boolean dryRun,
      Optional<String> expect) {}

  /** What happens to a passport of the request. */
  sealed interface Item {
    AgentId agent();

    /** Its status changes. */
    record Changed(Passport before) implements Item {
      @Override
      public AgentId agent() {
        return before.agentId();
      }
    }

    /** Its status stays: it has the new one, or cannot become it. */
    record Skipped(Passport passport) implements Item {
      @Override
      public AgentId agent() {
        return passport.agentId();
      }
    }

    /** The request names it, but the filter selects no such passport. */
    record Missing(AgentId agent) implements Item {}
  }

  /**
   * The result for each passport, the digest of them all, and the result of notifying receivers.
   */
  record Result(Instant at, List<Item> items, String selection, StatusReceivers.Delivery delivery) {
    Result {
      items = List.copyOf(items);
    }
  }

  /**
   * Changes the statuses.
   *
   * @throws dev.safeconduct.error.ProblemException 400 when the filter selects too many passports
   *     or names an organization or a template that is not known; 409 when the selection is not the
   *     expected one
   */
  Result run(Origin origin, Ask ask) {
    Rights rights = Rights.of(origin.caller());
    rights.demand(Scope.STATUS);
    demandKnown(rights, ask.filter());
    for (int i = 0; i < ChangeStatus.MAX_TRIES; i++) {
      List<Passport> selected = selected(rights, ask);
      String selection = digest(selected, ask.next());
      if (ask.expect().filter(expected -> !expected.equals(selection)).isPresent()) {
        throw ProblemException.conflict(
            "The selected passports have changed since the dry run. Read them again.",
            "selection_changed");
      }
      Instant now = recorder.now();
      List<Item> items = items(selected, ask);
      if (ask.dryRun() || changed(items) == 0) {
        return new Result(now, items, selection, StatusReceivers.Delivery.NONE);
      }
      List<StatusChange> changes = stored(origin, items, ask, now);
      if (!changes.isEmpty()) {
        return new Result(now, items, selection, receivers.notifyOf(changes));
      }
    }
    throw ChangeStatus.busy();
  }

  /**
   * Returns the changes; none when a passport has changed meanwhile, and then nothing is stored.
   */
  private List<StatusChange> stored(Origin origin, List<Item> items, Ask ask, Instant now) {
    JsonObject more =
        JsonObject.builder().put("reason", ask.reason()).put("bulk", changed(items)).build();
    List<PassportChange> changes =
        items.stream()
            .flatMap(item ->
                item instanceof Item.Changed(Passport before) ? Stream.of(before) : Stream.empty())
            .map(before -> PassportChange.ofStatus(recorder, origin, now, before, ask.next(), more))
            .toList();
    List<StatusChange> statuses = changes.stream().map(PassportChange::status).toList();
    return passports.replaceStatuses(changes, storing -> receivers.emailed(statuses, storing))
        ? statuses
        : List.of();
  }

  /** How many passports were revoked, and the result of notifying receivers. */
  record Revoked(int count, StatusReceivers.Delivery delivery) {
    Revoked plus(Revoked later) {
      if (count == 0 || later.count == 0) {
        return count == 0 ? later : this;
      }
      StatusReceivers.Delivery next = later.delivery;
      return new Revoked(
          count + later.count,
          new StatusReceivers.Delivery(
              delivery.sent() && next.sent(),
              delivery.attempts() + next.attempts(),
              delivery.error().or(next::error)));
    }
  }

  /**
   * Revokes all passports of an organization that is deleted, some in each transaction. Receivers
   * are notified of those that were, also if it ends early.
   */
  Revoked revokeAll(Origin origin, OrgId org, String reason) {
    var changes = new ArrayList<StatusChange>();
    try {
      revokeAll(origin, org, reason, changes);
    } catch (RuntimeException e) {
      StatusReceivers.Delivery _ = notified(changes);
      throw e;
    }
    return new Revoked(changes.size(), notified(changes));
  }

  private StatusReceivers.Delivery notified(List<StatusChange> changes) {
    return changes.isEmpty() ? StatusReceivers.Delivery.NONE : receivers.notifyOf(changes);
  }

  private void revokeAll(Origin origin, OrgId org, String reason, List<StatusChange> changes) {
    var ask = new Ask(BulkFilter.of(org), PassportStatus.REVOKED, reason, false, Optional.empty());
    for (int tries = 0; tries < ChangeStatus.MAX_TRIES; ) {
      List<Passport> live = passports.live(org, MOST);
      if (live.isEmpty()) {
        return;
      }
      List<StatusChange> stored = stored(origin, items(live, ask), ask, recorder.now());
      changes.addAll(stored);
      if (stored.isEmpty()) {
        tries++;
      }
    }
    throw ChangeStatus.busy();
  }

  /** Refuses ids that are not known: a mistyped one must not look like a change of nothing. */
  private void demandKnown(Rights rights, BulkFilter filter) {
    filter
        .org()
        .filter(org -> !rights.sees(org) || !directory.knows(org))
        .ifPresent(org -> {
          throw ProblemException.invalid(
              "filter.org_id", "No organization " + org.value() + " is known.");
        });
    filter
        .template()
        .filter(template -> passports.find(rights.tenant(), template).isEmpty())
        .ifPresent(template -> {
          throw ProblemException.invalid(
              "filter.template_id", "No passport " + template.value() + " is known.");
        });
  }

  /** Returns a digest of which passports are selected, as they are now, and of their new status. */
  private static String digest(List<Passport> selected, PassportStatus next) {
    String lines =
        selected.stream()
            .map(passport -> passport.agentId().value() + " " + passport.revision() + "\n")
            .sorted()
            .collect(Collectors.joining("", next.wire() + "\n", ""));
    return "sha256:" + Sha256.hex(lines.getBytes(StandardCharsets.UTF_8));
  }

  private List<Passport> selected(Rights rights, Ask ask) {
    List<Passport> selected = passports.selected(rights.tenant(), ask.filter(), MOST + 1);
    if (selected.size() > MOST) {
      throw ProblemException.invalid(
          "filter",
          "filter selects more than "
              + MOST
              + " passports, the most for one request. Narrow it, for example to one"
              + " organization, framework or template; or halt the organization.");
    }
    return selected;
  }

  private static List<Item> items(List<Passport> selected, Ask ask) {
    var items = new ArrayList<Item>();
    for (Passport passport : selected) {
      PassportStatus status = passport.status();
      items.add(
          status == ask.next() || !status.mayBecome(ask.next())
              ? new Item.Skipped(passport)
              : new Item.Changed(passport));
    }
    ask.filter().agents().ifPresent(agents -> items.addAll(missing(agents, selected)));
    return items;
  }

  private static List<Item> missing(List<AgentId> agents, List<Passport> selected) {
    Set<AgentId> found = new HashSet<>();
    selected.forEach(passport -> found.addAll(Passports.ids(passport)));
    return agents.stream()
        .distinct()
        .filter(agent -> !found.contains(agent))
        .<Item>map(Item.Missing::new)
        .toList();
  }

  /** Returns the number of passports whose status changes. */
  static long changed(List<Item> items) {
    return items.stream().filter(Item.Changed.class::isInstance).count();
  }

  /** Returns why the item's status stays, as a code for the answer; empty if it changes. */
  static Optional<String> skipped(Item item, PassportStatus next) {
    return switch (item) {
      case Item.Changed _ -> Optional.empty();
      case Item.Skipped skipped ->
          Optional.of(skipped.passport().status() == next ? "unchanged" : "impossible_status");
      case Item.Missing _ -> Optional.of("not_found");
    };
  }
}
