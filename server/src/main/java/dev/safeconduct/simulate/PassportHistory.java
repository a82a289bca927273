package dev.safeconduct.simulate;

import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.StoredRecord;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.verify.TemplateChain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Passports as they were. The one of today is kept whole; of earlier ones the log has every member
 * that a decision looks at by itself, put together here from the records of their changes.
 */
final class PassportHistory {
  private static final String AGENT_ID = "agent_id";
  private static final String ACTIVE = "active";

  /** The members whose values the records of changes hold. */
  private static final Set<String> RECORDED =
      Set.of(
          "name",
          "slug",
          "role",
          JudgedPassport.CAPABILITIES,
          "limits",
          JudgedPassport.REGIONS,
          JudgedPassport.MCP,
          JudgedPassport.EXPIRES_AT,
          JudgedPassport.NEVER_EXPIRES,
          JudgedPassport.ASSURANCE_LEVEL,
          JudgedPassport.STATUS,
          AGENT_ID);

  private final DecisionHistory past;
  private final PackReads reads;
  private final Map<AgentId, Changes> known = new HashMap<>();

  /** {@code reads}: what the pack looks at. */
  PassportHistory(DecisionHistory past, PackReads reads) {
    this.past = past;
    this.reads = reads;
  }

  /** What a decision was evaluated with, or why it is not known any more. */
  sealed interface Found<T> {
    record Known<T>(T value) implements Found<T> {}

    record Gone<T>(String why) implements Found<T> {}
  }

  /** A passport from one record of a change to the next. */
  private record State(long from, String digest, JsonObject members) {}

  /**
   * All states of one passport.
   *
   * @param whole whether no record of a change is missing
   */
  private record Changes(List<State> states, boolean whole, Optional<JsonObject> today) {
    private static Changes of(AgentId agent, DecisionHistory past) {
      var states = new ArrayList<State>();
      boolean whole = true;
      JsonObject fresh = JsonObject.of(AGENT_ID, agent.value());
      JsonObject members = fresh;
      for (StoredRecord record : past.history(agent)) {
        Optional<JsonObject> body = Json.kept(record.entry().body());
        if (body.isEmpty()) {
          whole = false;
          continue;
        }
        Optional<String> digest = body.get().string("passport_digest");
        if (digest.isEmpty()) {
          continue; // it tells of something else
        }
        members =
            changed(
                record.entry().kind() == RecordKind.PASSPORT_ISSUED ? fresh : members, body.get());
        states.add(new State(record.logIndex(), digest.get(), members));
      }
      return new Changes(states, whole, past.passport(agent));
    }

    private static JsonObject changed(JsonObject before, JsonObject body) {
      JsonObject after = before;
      JsonObject values = body.child("values");
      for (String name : body.texts("changed")) {
        JsonValue value = values.get(name);
        after = value == null ? after.without(name) : after.with(name, value);
      }
      JsonValue status = body.get(JudgedPassport.STATUS);
      return status == null ? after : after.with(JudgedPassport.STATUS, status);
    }

    private Optional<JsonObject> today(String digest) {
      return today.filter(document -> CanonicalJson.digest(document).equals(digest));
    }
  }

  Found<JudgedPassport> find(AgentId agent, String digest) {
    Changes changes = changes(agent);
    Optional<State> state =
        changes.states().stream().filter(one -> one.digest().equals(digest)).findFirst();
    return passport(digest, state.map(State::members), changes);
  }

  private Found<JudgedPassport> passport(
      String digest, Optional<JsonObject> members, Changes changes) {
    Optional<JsonObject> today = changes.today(digest);
    if (today.isPresent()) {
      return new Found.Known<>(JudgedPassport.of(today.get()));
    }
    if (members.isEmpty()) {
      return new Found.Gone<>("the passport as it was then is not recorded");
    }
    if (reads.wholePassport()) {
      return new Found.Gone<>("the passport has changed since, and the pack may read all of it");
    }
    for (String name : reads.passport()) {
      if (!RECORDED.contains(name)) {
        return new Found.Gone<>(
            "the passport has changed since, and the pack reads its member " + name);
      }
    }
    return new Found.Known<>(JudgedPassport.of(members.get()));
  }

  /**
   * The templates that the agent was made from, as they were before a record.
   *
   * @param record the place of the record in the log
   */
  Found<TemplateChain> templates(AgentId agent, long record) {
    var templates = new ArrayList<TemplateChain.Template>();
    boolean active = true;
    Optional<JudgedPassport> below = changes(agent).today().map(JudgedPassport::of);
    while (below.filter(JudgedPassport::isInstance).isPresent()) {
      Optional<AgentId> parent = below.get().parent().flatMap(AgentId::hosted);
      if (parent.isEmpty() || templates.size() == Passport.MOST_TEMPLATES) {
        return new Found.Gone<>("the passport is an instance, and its template is not known");
      }
      Changes changes = changes(parent.get());
      Optional<State> state =
          changes.states().stream().filter(one -> one.from() < record).reduce((_, last) -> last);
      if (state.isEmpty() || !changes.whole()) {
        return new Found.Gone<>(
            "the passport is an instance, and its template as it was then is not recorded");
      }
      switch (passport(state.get().digest(), state.map(State::members), changes)) {
        case Found.Gone<JudgedPassport>(String why) -> {
          return new Found.Gone<>("the passport is an instance; of its template " + why);
        }
        case Found.Known<JudgedPassport>(JudgedPassport passport) -> {
          active &= passport.status().equals(Optional.of(ACTIVE));
          templates.add(
              new TemplateChain.Template(parent.get().value(), passport, state.get().digest()));
        }
      }
      below = changes.today().map(JudgedPassport::of);
    }
    return new Found.Known<>(new TemplateChain(active, templates));
  }

  private Changes changes(AgentId agent) {
    return known.computeIfAbsent(agent, id -> Changes.of(id, past));
  }
}
