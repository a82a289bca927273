package dev.safeconduct.simulate.suggest;

import dev.safeconduct.decision.Params;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.catalog.Field;
import dev.safeconduct.passport.catalog.FieldType;
import dev.safeconduct.passport.catalog.Narrows;
import dev.safeconduct.passport.catalog.Narrows.Absence;
import dev.safeconduct.passport.catalog.Narrows.Direction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Narrows one limit to what was seen, by its description in the catalogue. Limits that only demand
 * or block something stay as they are.
 */
final class Narrower {
  private Narrower() {}

  /**
   * A narrower value, or the present one with the reason why it stays.
   *
   * @param value Java null if the limit stays
   */
  record Proposal(@Nullable JsonValue value, String why) {
    static final Proposal NOTHING = new Proposal(null, "");
  }

  /**
   * Returns the proposal for a limit.
   *
   * @param present the present value; Java null if absent
   * @param source where the evidence is, if the limit has a source
   * @param seen what the evidence shows, if anything
   */
  static Proposal of(
      Field field, @Nullable JsonValue present, Optional<Source> source, Optional<Seen> seen) {
    Narrows narrows = field.narrows();
    if (present == null && narrows.absence() != Absence.ANY) {
      return Proposal.NOTHING;
    }
    Proposal unknown =
        present == null || narrows.direction() != Direction.LESS
            ? Proposal.NOTHING
            : new Proposal(null, "Suggestions do not read from contexts how much of it is needed.");
    return switch (field.type()) {
      case BOOLEAN -> flag(narrows, present);
      case TEXT -> choice(field, present);
      case NUMBER ->
          narrows.direction() == Direction.LESS
              ? seen.map(some -> number(narrows, present, some)).orElse(unknown)
              : Proposal.NOTHING;
      case STRING_LIST, PATH_LIST, DOMAIN_LIST, URL_LIST, RECIPIENT_LIST, CSV_LIST ->
          narrows.direction() == Direction.LESS && source.isPresent() && seen.isPresent()
              ? list(field, present, source.get(), seen.get())
              : unknown;
      case MAP ->
          source.isPresent() && seen.isPresent() && present instanceof JsonObject map
              ? map(field, map, source.get(), seen.get())
              : unknown;
      case OBJECT ->
          source.isPresent() && seen.isPresent() && present instanceof JsonObject object
              ? object(field, object, source.get(), seen.get())
              : unknown;
      case PATH_PATTERN_LIST, OBJECT_LIST -> unknown;
      case FLAG, LEVEL -> Proposal.NOTHING;
    };
  }

  private static Proposal flag(Narrows narrows, @Nullable JsonValue present) {
    JsonValue narrow = JsonBoolean.of(narrows.direction() == Direction.TRUE);
    return present instanceof JsonBoolean
            && narrows.direction() != Direction.SAME
            && !present.equals(narrow)
        ? new Proposal(narrow, "Nothing that was allowed needed it.")
        : Proposal.NOTHING;
  }

  private static Proposal choice(Field field, @Nullable JsonValue present) {
    boolean known = present instanceof JsonString(String text) && field.choices().indexOf(text) > 0;
    return known && field.narrows().direction() == Direction.LESS
        ? new Proposal(
            new JsonString(field.choices().getFirst()), "Nothing that was allowed needed more.")
        : Proposal.NOTHING;
  }

  private static Proposal number(Narrows narrows, @Nullable JsonValue present, Seen seen) {
    JsonValue held = present == null ? narrows.standard().orElse(null) : present;
    if (held != null && !(held instanceof JsonNumber)) {
      return new Proposal(null, "It is not one number.");
    }
    if (seen.most() < 0) {
      return new Proposal(null, "Nothing that was allowed used it.");
    }
    if (held instanceof JsonNumber(double cap, _) && cap <= seen.most()) {
      return Proposal.NOTHING;
    }
    return new Proposal(
        new JsonNumber(seen.most()),
        seen.times() == 1
            ? "Seen once."
            : "The maximum of %d decisions; 99 of 100 were at most about %s."
                .formatted(seen.times(), text(seen.p99())));
  }

  private static String text(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  private static Proposal list(Field field, @Nullable JsonValue value, Source source, Seen seen) {
    Narrows narrows = field.narrows();
    JsonValue present =
        field.type() == FieldType.CSV_LIST
                && value instanceof JsonString
                && Params.list(JsonObject.EMPTY.with("list", value), "list")
                    instanceof Reading.Present<List<String>>(List<String> parts)
            ? JsonArray.ofStrings(parts)
            : value;
    if (field.type() == FieldType.RECIPIENT_LIST
        && present instanceof JsonArray recipients
        && recipients.elements().stream().anyMatch(JsonObject.class::isInstance)) {
      return recipients(recipients, seen);
    }
    boolean strings =
        present == null
            || (present instanceof JsonArray array
                && array.elements().stream().allMatch(JsonString.class::isInstance));
    if (!strings || !seen.isDescribable()) {
      return new Proposal(
          null,
          strings
              ? "What was allowed cannot be listed entry by entry."
              : "Its entries have limits of their own.");
    }
    if (seen.entries().isEmpty()) {
      return new Proposal(null, "Nothing that was allowed used it.");
    }
    List<String> listed = present instanceof JsonArray array ? array.texts() : List.of("*");
    boolean open = narrows.emptyIsAll() && listed.isEmpty();
    Optional<Entries> entries =
        Entries.of(source.as(), narrows.entries(), seen.entries(), open ? List.of("*") : listed);
    if (entries.isEmpty()) {
      return new Proposal(null, "The present entries do not cover what was seen one by one.");
    }
    List<String> texts = entries.get().texts();
    if (present != null && new HashSet<>(listed).equals(Set.copyOf(texts))) {
      return Proposal.NOTHING;
    }
    var why = new ArrayList<>(entries.get().why());
    why.addFirst(seen.times() == 1 ? "Seen once." : "Seen %d times.".formatted(seen.times()));
    return new Proposal(JsonArray.ofStrings(texts), String.join(" ", why));
  }

  /** Keeps the recipients that were seen, each with its own limits. */
  private static Proposal recipients(JsonArray present, Seen seen) {
    Set<String> used = seen.entries().keySet();
    var known = new HashSet<String>();
    var kept = new ArrayList<JsonValue>();
    for (JsonValue each : present) {
      String id = Candidate.id(each).orElse("");
      known.add(id);
      if (used.contains(id)) {
        kept.add(each);
      }
    }
    if (!seen.isDescribable() || !known.containsAll(used)) {
      return new Proposal(null, "What was allowed cannot be listed entry by entry.");
    }
    return kept.size() == present.size()
        ? Proposal.NOTHING
        : new Proposal(new JsonArray(kept), "The other recipients were not seen.");
  }

  private static Proposal object(Field field, JsonObject present, Source source, Seen seen) {
    JsonObject result = present;
    var why = new ArrayList<String>();
    for (Field member : Set.copyOf(field.members().values())) {
      Proposal proposal = of(field.name(), member, present, source, seen, why);
      if (proposal.value() != null) {
        result = result.with(name(member, present), proposal.value());
      }
    }
    why.sort(null);
    return new Proposal(result.equals(present) ? null : result, String.join(" ", why));
  }

  /** Keeps the keys that were seen where the map is required, and narrows what is below them. */
  private static Proposal map(Field field, JsonObject present, Source source, Seen seen) {
    Map<String, Field> fields = field.values().map(Field::members).orElse(Map.of());
    JsonObject result = present;
    var why = new ArrayList<String>();
    for (String key : present.names()) {
      Seen below = seen.byKey().get(key);
      if (below == null && field.required() && seen.isDescribable()) {
        result = result.without(key);
        why.add(key + " was not seen.");
      } else if (below != null && present.get(key) instanceof JsonObject members) {
        JsonObject narrowed = members;
        for (Field member : Set.copyOf(fields.values())) {
          Proposal proposal = of(key, member, members, source, below, why);
          if (proposal.value() != null) {
            narrowed = narrowed.with(name(member, members), proposal.value());
          }
        }
        result = result.with(key, narrowed);
      }
    }
    why.sort(null);
    return new Proposal(result.equals(present) ? null : result, String.join(" ", why));
  }

  private static Proposal of(
      String key, Field member, JsonObject members, Source source, Seen below, List<String> why) {
    String name = name(member, members);
    Seen seen = below.byKey().get(name);
    Proposal proposal =
        of(
            member,
            members.present(name),
            Optional.ofNullable(source.members().get(member.name())),
            Optional.ofNullable(seen == null ? below.byKey().get(member.name()) : seen));
    boolean kept = members.present(name) != null && !proposal.why().isEmpty();
    if (kept || proposal.value() != null) {
      why.add(key + "." + name + ": " + proposal.why());
    }
    return proposal;
  }

  private static String name(Field field, JsonObject members) {
    return field.aliases().stream()
        .filter(alias -> members.present(alias) != null && members.present(field.name()) == null)
        .findFirst()
        .orElse(field.name());
  }
}
