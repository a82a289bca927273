package dev.safeconduct.simulate;

import dev.safeconduct.decision.Feeds;
import dev.safeconduct.json.IsoInstant;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Spelling;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.text.Words;
import dev.safeconduct.verify.SentEntities;
import dev.safeconduct.verify.SentSubject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads cases: a JSON array of them, a single one, or JSON Lines. A case has {@code name} (or
 * {@code about}), {@code passport}, and {@code steps} with {@code context} and what is expected:
 * {@code allow}, {@code code}, {@code rule}. A case of one step may have the step's members itself.
 * {@code subject}, {@code action} and {@code resource} beside {@code context} are the members of an
 * AuthZEN request; its subject needs no passport.
 */
public final class CaseReader {
  private static final Set<String> STEP =
      new TreeSet<>(
          Words.list(
              """
              context subject action resource after_seconds passport allow code rule about
              """));
  private static final Set<String> CASE = new TreeSet<>(STEP);

  static {
    CASE.remove("after_seconds");
    CASE.addAll(List.of("name", "pack", "feeds", "at", "steps"));
  }

  private CaseReader() {}

  /** Cases that cannot be read; the message says which and why. */
  public static final class CaseFault extends Exception {
    private static final long serialVersionUID = 1L;

    CaseFault(String message) {
      super(message, null, false, false);
    }
  }

  public static List<PolicyCase> read(byte[] file) throws CaseFault {
    try {
      return switch (Json.parse(file)) {
        case JsonArray list -> all(list);
        case JsonObject one -> List.of(one("the case", one));
        case JsonValue other -> throw new CaseFault("these are no cases but a " + other.typeName());
      };
    } catch (JsonFault whole) {
      String text = new String(file, StandardCharsets.UTF_8);
      if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), file)) {
        throw new CaseFault(whole.about("The text"));
      }
      return lines(text, whole);
    }
  }

  private static List<PolicyCase> all(JsonArray list) throws CaseFault {
    var cases = new ArrayList<PolicyCase>();
    for (int i = 0; i < list.size(); i++) {
      cases.add(one("case " + (i + 1), object("case " + (i + 1), list.get(i))));
    }
    return cases;
  }

  private static List<PolicyCase> lines(String text, JsonFault whole) throws CaseFault {
    var cases = new ArrayList<PolicyCase>();
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).isBlank()) {
        continue;
      }
      String place = "line " + (i + 1);
      try {
        byte[] line = lines.get(i).getBytes(StandardCharsets.UTF_8);
        cases.add(one(place, object(place, Json.parse(line))));
      } catch (JsonFault e) {
        // A file whose first line is no JSON was not meant as lines.
        throw new CaseFault(
            cases.isEmpty() ? whole.about("The text") : place + ": " + e.about("The line"));
      }
    }
    return cases;
  }

  private static PolicyCase one(String place, JsonObject json) throws CaseFault {
    Optional<String> name = json.string("name").or(() -> json.string("about"));
    String where = name.map(text -> place + " (" + text + ")").orElse(place);
    known(where, json, CASE);
    var steps = new ArrayList<PolicyCase.Step>();
    if (json.has("steps")) {
      JsonArray list =
          json.array("steps").orElseThrow(() -> new CaseFault(where + ": steps must be an array"));
      for (int i = 0; i < list.size(); i++) {
        String at = where + ", step " + (i + 1);
        JsonObject step = object(at, list.get(i));
        known(at, step, STEP);
        steps.add(step(at, step, true));
      }
    } else {
      steps.add(step(where, json, false));
    }
    if (steps.isEmpty()) {
      throw new CaseFault(where + ": a case needs at least one step");
    }
    Optional<JsonObject> passport = passport(where, json);
    if (passport.isEmpty()
        && !steps.stream()
            .allMatch(step ->
                step.passport().isPresent() || SentSubject.of(step.context()).isPresent())) {
      throw new CaseFault(
          where + ": passport must be an object; only a case that names a subject needs none");
    }
    return new PolicyCase(
        name.orElse(place),
        text(where, json, "pack"),
        passport,
        feeds(where, json),
        at(where, json),
        steps);
  }

  private static Optional<JsonObject> passport(String where, JsonObject json) throws CaseFault {
    if (!json.has("passport")) {
      return Optional.empty();
    }
    JsonObject passport =
        json.object("passport")
            .orElseThrow(() -> new CaseFault(where + ": passport must be an object"));
    return Optional.of(passport.has("status") ? passport : passport.with("status", "active"));
  }

  /** Returns the context with the members of an AuthZEN request. */
  private static JsonObject context(String where, JsonObject step) throws CaseFault {
    if (step.object("context").isEmpty() && (step.has("context") || !step.has("subject"))) {
      throw new CaseFault(where + ": context must be an object");
    }
    JsonObject context = step.child("context");
    for (String name : AccessModel.CONTEXT) {
      if (step.has(name)) {
        context =
            context.with(
                name,
                step.object(name)
                    .orElseThrow(() -> new CaseFault(where + ": " + name + " must be an object")));
      }
    }
    return context;
  }

  /** {@code alone}: whether the object is a step and nothing else. */
  private static PolicyCase.Step step(String where, JsonObject step, boolean alone)
      throws CaseFault {
    JsonObject context = context(where, step);
    Optional<Boolean> allow =
        switch (step.get("allow")) {
          case null -> Optional.empty();
          case JsonBoolean truth -> Optional.of(truth.value());
          default -> throw new CaseFault(where + ": allow must be true or false");
        };
    Optional<String> code = text(where, step, "code");
    if (allow.isEmpty() && code.isEmpty()) {
      throw new CaseFault(where + ": say what is expected in allow or code");
    }
    Optional<JsonObject> passport = alone ? passport(where, step) : Optional.empty();
    Optional<SentEntities> entities =
        AccessModel.CONTEXT.stream().allMatch(step::has)
            ? SentEntities.in(context)
                .map(all ->
                    new SentEntities(
                        all.subject(), all.action(), all.resource(), step.child("context")))
            : Optional.empty();
    return new PolicyCase.Step(
        context, entities, after(where, step), passport, allow, code, text(where, step, "rule"));
  }

  private static Duration after(String where, JsonObject step) throws CaseFault {
    return switch (step.get("after_seconds")) {
      case null -> Duration.ZERO;
      case JsonNumber number when number.value() >= 0 && number.value() <= 1e10 ->
          Duration.ofMillis(Math.round(number.value() * 1000));
      default ->
          throw new CaseFault(where + ": after_seconds must be a number of seconds, 0 or more");
    };
  }

  private static Instant at(String where, JsonObject json) throws CaseFault {
    Optional<String> text = text(where, json, "at");
    if (text.isEmpty()) {
      return PolicyCase.USUALLY;
    }
    return IsoInstant.parse(text.get())
        .orElseThrow(
            () -> new CaseFault(where + ": at must be a date-time such as 2026-01-31T08:00:00Z"));
  }

  private static Feeds feeds(String where, JsonObject json) throws CaseFault {
    var feeds = new HashMap<String, JsonObject>();
    JsonObject given = json.child("feeds");
    for (String name : given.names()) {
      feeds.put(
          name,
          given
              .object(name)
              .orElseThrow(() -> new CaseFault(where + ": a feed must be an object")));
    }
    return new Feeds(feeds);
  }

  private static Optional<String> text(String where, JsonObject json, String name)
      throws CaseFault {
    if (json.has(name) && json.string(name).isEmpty()) {
      throw new CaseFault(where + ": " + name + " must be a string");
    }
    return json.string(name);
  }

  private static JsonObject object(String where, JsonValue value) throws CaseFault {
    if (value instanceof JsonObject object) {
      return object;
    }
    throw new CaseFault(where + " must be an object, not a " + value.typeName());
  }

  private static void known(String where, JsonObject json, Set<String> names) throws CaseFault {
    for (String name : json.names()) {
      if (!names.contains(name)) {
        throw new CaseFault(
            where + ": unknown member \"" + name + "\"" + Spelling.hint(name, names));
      }
    }
  }
}
