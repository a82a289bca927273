package dev.safeconduct.verify.token;

import dev.safeconduct.access.ApiKey;
import dev.safeconduct.access.ApiKeys;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.passport.Halts;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import java.time.InstantSource;
import java.util.Optional;

/** Converts a change to an event for one reader; empty if it does not concern the reader. */
public final class Revocations {
  private final Passports passports;
  private final ApiKeys keys;
  private final Halts halts;
  private final InstantSource clock;

  public Revocations(Passports passports, ApiKeys keys, Halts halts, InstantSource clock) {
    this.passports = passports;
    this.keys = keys;
    this.halts = halts;
    this.clock = clock;
  }

  /** The reader: an organization, or a setup key for one of its passports. */
  record Reader(OrgId org, Optional<AgentId> boundTo) {}

  Optional<JsonObject> event(Change change, Reader reader) {
    String subject = change.subject();
    if (subject.equals(Change.SIGNING_KEYS)) {
      return Optional.of(typed(change, "signing_keys").build());
    }
    if (subject.equals(Change.packs(reader.org().value()))) {
      return Optional.of(typed(change, "policies").build());
    }
    if (subject.equals(Change.HALT_OF_ALL) || subject.equals(Change.halt(reader.org().value()))) {
      return Optional.of(
          typed(change, "organization")
              .put("halted", halts.stopping(reader.org()).isPresent())
              .build());
    }
    if (subject.startsWith(Change.AGENT)) {
      return passports
          .find(new AgentId(subject.substring(Change.AGENT.length())))
          .filter(passport -> passport.owner().equals(reader.org()))
          .flatMap(passport -> passport(change, passport, reader));
    }
    if (subject.startsWith(Change.KEY)) {
      return keys.find(reader.org(), subject.substring(Change.KEY.length()))
          .filter(key -> reader.boundTo().isEmpty() || key.boundTo().equals(reader.boundTo()))
          .map(key -> key(change, key));
    }
    return Optional.empty();
  }

  private Optional<JsonObject> passport(Change change, Passport passport, Reader reader) {
    if (reader.boundTo().isEmpty() || reader.boundTo().get().equals(passport.agentId())) {
      return Optional.of(
          typed(change, "passport")
              .put("agent_id", passport.agentId().value())
              .put("status", passport.status().wire())
              .build());
    }
    // A setup key gets changes of its own passport only, also where that is a template.
    AgentId own = reader.boundTo().get();
    return restsOn(own, passport.agentId())
        ? Optional.of(
            typed(change, "passport")
                .put("agent_id", own.value())
                .put("status", passport.status().wire())
                .build())
        : Optional.empty();
  }

  private boolean restsOn(AgentId instance, AgentId template) {
    Optional<Passport> at = passports.find(instance);
    for (int i = 0; i < Passport.MOST_TEMPLATES && at.isPresent(); i++) {
      JsonObject document = at.get().document();
      if (!(document.get("kind") instanceof JsonString(String kind)) || !kind.equals("instance")) {
        return false;
      }
      Optional<AgentId> above =
          document
              .string("parent_agent_id")
              .or(() -> document.string("template_id"))
              .flatMap(AgentId::hosted);
      if (above.equals(Optional.of(template))) {
        return true;
      }
      at = above.flatMap(passports::find);
    }
    return false;
  }

  private JsonObject key(Change change, ApiKey key) {
    return typed(change, "key")
        .put("key_id", key.id())
        .put("usable", key.decidesAt(clock.instant()))
        .build();
  }

  private static JsonObject.Builder typed(Change change, String type) {
    return JsonObject.builder().put("sequence", change.sequence()).put("type", type);
  }
}
