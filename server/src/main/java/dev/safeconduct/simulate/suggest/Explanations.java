package dev.safeconduct.simulate.suggest;

import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.simulate.suggest.Candidate.Part;
import dev.safeconduct.verify.Evaluator;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Explains a suggestion, item by item. */
final class Explanations {
  private final Evidence evidence;
  private final Suggest.Request request;
  private final PolicyCatalog packs;
  private final Catalogue catalogue;
  private final Evaluator evaluator;
  private final List<JsonValue> items = new ArrayList<>();

  Explanations(
      Evidence evidence,
      Suggest.Request request,
      PolicyCatalog packs,
      Catalogue catalogue,
      Evaluator evaluator) {
    this.evidence = evidence;
    this.request = request;
    this.packs = packs;
    this.catalogue = catalogue;
    this.evaluator = evaluator;
  }

  /** How a member of the passport differs in the suggestion. */
  private enum Change {
    NARROWED,
    DROPPED,
    KEPT,
    /** Not in the answer's members; to be changed by itself. */
    SEEN;

    private final String wire = name().toLowerCase(Locale.ROOT);
  }

  Suggestion suggestion(Findings findings, Candidate candidate, CandidateCheck check) {
    var forbidden = new ForbiddenExample(request.passport(), evaluator);
    for (Class<? extends Part> kind : List.of(Candidate.Limit.class, Candidate.Param.class)) {
      candidate
          .narrowed()
          .forEach((part, change) -> {
            if (kind.isInstance(part)) {
              add(part, change, Change.NARROWED, forbids(forbidden, findings, part, change));
            }
          });
      candidate
          .restored()
          .forEach((part, change) -> {
            if (kind.isInstance(part)) {
              add(part, change, Change.KEPT, Optional.empty());
            }
          });
    }
    candidate.dropped().forEach(id -> unused(findings, id, Change.DROPPED, "It was not used."));
    candidate
        .capabilitiesRestored()
        .forEach(id ->
            unused(findings, id, Change.KEPT, "It was not used, but something else needs it."));
    gaps(findings);
    unknownLimits(findings);
    findings
        .elsewhere()
        .forEach((member, seen) -> {
          JsonArray narrowed = candidate.lists().get(member);
          if (narrowed == null) {
            elsewhere(member, seen);
          } else {
            list(member, narrowed, seen);
          }
        });
    JsonObject document = candidate.document();
    return new Suggestion(
        request.passport().agentId(),
        new Suggestion.Basis(request.from(), request.to(), findings.decisions(), findings.digest()),
        members(document),
        items,
        check.replayed(),
        check.newlyDenied());
  }

  /** Returns the members to send with an update of the passport. */
  private JsonObject members(JsonObject document) {
    JsonObject.Builder members =
        JsonObject.builder()
            .put(Candidate.CAPABILITIES, document.list(Candidate.CAPABILITIES))
            .put(Candidate.LIMITS, document.child(Candidate.LIMITS));
    for (String name : List.of(Candidate.REGIONS, Candidate.MCP)) {
      JsonValue value = document.get(name);
      if (value != null && !value.equals(request.passport().document().get(name))) {
        members.put(name, value);
      }
    }
    return members.build();
  }

  private static JsonObject.Builder item(String member, Change change, String why) {
    return JsonObject.builder().put("member", member).put("change", change.wire).put("why", why);
  }

  private static Optional<JsonObject> forbids(
      ForbiddenExample forbidden, Findings findings, Part part, Candidate.Change each) {
    return part instanceof Candidate.Limit limit
        ? findings
            .observed(limit)
            .flatMap(seen ->
                seen.example()
                    .flatMap(like ->
                        Optional.ofNullable(seen.sources().get(limit.field().name()))
                            .flatMap(source -> forbidden.of(like, source, limit, each))))
        : Optional.empty();
  }

  private void add(Part part, Candidate.Change each, Change change, Optional<JsonObject> forbids) {
    JsonObject.Builder item = item(part.member(), change, each.why()).put("seen", each.seen());
    if (each.before() != null) {
      item.put("present", each.before());
    }
    if (change == Change.NARROWED) {
      item.put("suggested", each.after());
    }
    forbids.ifPresent(example -> item.put("forbids", example));
    items.add(item.build());
  }

  private void unused(Findings findings, String capability, Change change, String why) {
    JsonObject.Builder item =
        item(Candidate.CAPABILITIES + "." + capability, change, why).put("seen", 0);
    lastUse(findings.canonical(capability))
        .ifPresent(at -> item.put("last_use", IsoInstant.millis(at)));
    items.add(item.build());
  }

  /** Returns when a pack that needs the capability last allowed something. */
  private Optional<Instant> lastUse(String capability) {
    return packs.all().stream()
        .filter(pack ->
            pack.capabilities().stream()
                .anyMatch(id -> catalogue.canonicalId(id).orElse(id).equals(capability)))
        .flatMap(pack -> evidence.lastUse(pack.id()).stream())
        .max(Comparator.naturalOrder());
  }

  private void gaps(Findings findings) {
    if (findings.decisions() == 0 && findings.beyond() == 0) {
      items.add(
          item(Candidate.LIMITS, Change.KEPT, "The period has no decision that was allowed.")
              .put("seen", 0)
              .build());
    }
    findings
        .unknown()
        .forEach((why, unknown) -> {
          String text = "%d decisions cannot be replayed: %s.".formatted(unknown.times(), why);
          items.add(
              item(
                      findings.isAllFrozen() ? "capabilities, limits" : Candidate.LIMITS,
                      Change.KEPT,
                      text)
                  .put("seen", unknown.times())
                  .put("decision_id", unknown.example().toString())
                  .build());
        });
    if (findings.beyond() > 0) {
      items.add(
          item(
                  Candidate.LIMITS,
                  Change.KEPT,
                  "Decisions that the present passport denies are left out.")
              .put("seen", findings.beyond())
              .build());
    }
  }

  private void unknownLimits(Findings findings) {
    JsonObject limits = request.passport().document().child(Candidate.LIMITS);
    var unknown = new TreeSet<String>();
    for (String name : limits.names()) {
      boolean leads =
          catalogue.containerKeys().stream()
              .anyMatch(key -> key.equals(name) || key.startsWith(name + "."));
      if (!leads && !catalogue.isLimitSomewhere(name)) {
        unknown.add(Candidate.LIMITS + "." + name);
      }
    }
    for (LimitPlace place : new LinkedHashSet<>(findings.places().values())) {
      for (String name : place.members().names()) {
        if (!place.container().fields().containsKey(name) && !place.types().containsKey(name)) {
          unknown.add(Candidate.LIMITS + "." + String.join(".", place.path()) + "." + name);
        }
      }
    }
    unknown.forEach(member ->
        items.add(item(member, Change.KEPT, "The catalogue does not know this limit.").build()));
  }

  /** Adds a list beside the limits whose other entries were not used. */
  private void list(String member, JsonArray narrowed, Seen seen) {
    JsonObject.Builder item =
        item(member, Change.NARROWED, "The other entries were not used.").put("seen", seen.times());
    Candidate.list(request.passport().document(), member)
        .ifPresent(present -> item.put("present", present));
    items.add(item.put("suggested", narrowed).build());
  }

  /** Regions and MCP names are members of their own: the answer says what was seen of them. */
  private void elsewhere(String member, Seen seen) {
    JsonObject.Builder item =
        item(
                member,
                Change.SEEN,
                seen.isDescribable()
                    ? "These were sent with what was allowed."
                    : "What was sent cannot be listed.")
            .put("seen", seen.times());
    if (seen.isDescribable()) {
      item.put("suggested", JsonArray.ofStrings(List.copyOf(seen.entries().keySet())));
    }
    items.add(item.build());
  }
}
