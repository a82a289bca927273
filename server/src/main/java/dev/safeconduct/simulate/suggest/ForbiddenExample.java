package dev.safeconduct.simulate.suggest;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.simulate.MemoryCounters;
import dev.safeconduct.simulate.suggest.Evidence.Item;
import dev.safeconduct.verify.EvaluatedContext;
import dev.safeconduct.verify.Evaluator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a narrower limit newly forbids: an action like one of the evidence, with a field that
 * the present passport allows and the limit denies. Each is evaluated before it is shown.
 */
final class ForbiddenExample {
  private static final int MOST_ENTRIES = 20;
  private static final String OTHER = "other";

  private final Passport passport;
  private final Evaluator evaluator;
  private final Judge present;

  ForbiddenExample(Passport passport, Evaluator evaluator) {
    this.passport = passport;
    this.evaluator = evaluator;
    present = judge(passport.document());
  }

  private Judge judge(JsonObject document) {
    return new Judge(evaluator, new MemoryCounters(), passport, document);
  }

  /**
   * Returns the fields that make an action forbidden; empty if none is found.
   *
   * @param like an allowed action
   */
  Optional<JsonObject> of(
      Item.Known like, Source source, Candidate.Limit limit, Candidate.Change change) {
    JsonObject context = like.context().context();
    JsonObject limits = passport.document().child(Candidate.LIMITS);
    LimitPlace place = limit.place();
    JsonObject narrowed = place.members().with(limit.name(), change.after());
    Judge narrower = judge(passport.document().with(Candidate.LIMITS, place.in(limits, narrowed)));
    return changed(context, source, change.before(), change.after())
        .filter(other -> isNewlyDenied(like, other, narrower))
        .findFirst()
        .map(other ->
            other.only(
                other.names().stream()
                    .filter(name -> !Objects.equals(other.get(name), context.get(name)))
                    .toList()));
  }

  private boolean isNewlyDenied(Item.Known like, JsonObject context, Judge narrower) {
    var action =
        new Item.Known(
            like.id(),
            like.at(),
            like.pack(),
            EvaluatedContext.of(like.pack(), context),
            false,
            Optional.empty());
    return present.outcome(action, false).isAllow() && !narrower.outcome(action, false).isAllow();
  }

  /** Returns contexts with another value in the field that the limit is about. */
  private static Stream<JsonObject> changed(
      JsonObject context, Source source, @Nullable JsonValue before, @Nullable JsonValue after) {
    if (!source.key().isEmpty() && before instanceof JsonObject map) {
      return map.names().stream()
          .limit(MOST_ENTRIES)
          .flatMap(key ->
              source.members().entrySet().stream()
                  .flatMap(member ->
                      changed(
                          context.with(source.key(), key),
                          member.getValue(),
                          below(map, key, member.getKey()),
                          below(after, key, member.getKey()))));
    }
    if (source.from().isEmpty()) {
      return Stream.empty();
    }
    String field =
        source.from().stream().filter(context::has).findFirst().orElse(source.from().getFirst());
    boolean listed = context.get(field) instanceof JsonArray;
    return values(source, context.text(field), before, after)
        .map(value -> context.with(field, listed ? JsonArray.of(value) : value));
  }

  private static @Nullable JsonValue below(@Nullable JsonValue map, String key, String member) {
    return map instanceof JsonObject object
        ? object.object(key).map(limits -> limits.present(member)).orElse(null)
        : null;
  }

  private static Stream<JsonValue> values(
      Source source, String present, @Nullable JsonValue before, @Nullable JsonValue after) {
    if (source.isNumber()) {
      return before != null
          ? Stream.of(before)
          : after instanceof JsonNumber(double most, _)
              ? Stream.of(new JsonNumber(most + 1))
              : Stream.empty();
    }
    List<String> entries = before instanceof JsonArray array ? array.texts() : List.of("*");
    return entries.stream()
        .limit(MOST_ENTRIES)
        .map(entry -> entry.replace("*", OTHER))
        .flatMap(entry ->
            switch (source.as()) {
              case HOST ->
                  Stream.of("https://" + (entry.equals(OTHER) ? "other.example" : entry) + "/");
              case PATH -> Stream.of(entry + "/" + OTHER + extension(present), entry);
              case EXTENSION ->
                  Stream.of(
                      present.substring(0, present.lastIndexOf('/') + 1)
                          + OTHER
                          + (entry.startsWith(".") ? "" : ".")
                          + entry);
              default -> Stream.of(entry);
            })
        .map(JsonString::new);
  }

  private static String extension(String path) {
    int dot = path.lastIndexOf('.');
    return dot > path.lastIndexOf('/') ? path.substring(dot) : "";
  }
}
