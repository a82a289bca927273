package dev.safeconduct.verify;

import dev.safeconduct.audit.Decision;
import dev.safeconduct.decision.JudgedPassport;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.ledger.Change;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.PolicyPack;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A subject that the caller names by type and id (AuthZEN), and its passport under a pack if no
 * hosted passport is its own.
 *
 * @param id an agent's id in its canonical form, if it is a UUID
 * @param properties the properties that the caller sent
 * @param entities the whole request; empty if only the subject is known
 */
public record SentSubject(
    String type, String id, JsonObject properties, Optional<SentEntities> entities) {
  public SentSubject {
    id = AccessModel.isAgent(type) && AgentId.isPlain(id) ? AgentId.fold(id) : id;
  }

  /** Returns the subject of a context; empty if the context does not name one. */
  public static Optional<SentSubject> of(JsonObject context) {
    return context.object("subject").flatMap(SentSubject::named);
  }

  private static Optional<SentSubject> named(JsonObject subject) {
    return subject.get("type") instanceof JsonString(String type)
            && subject.get("id") instanceof JsonString(String id)
        ? Optional.of(new SentSubject(type, id, subject.child("properties"), Optional.empty()))
        : Optional.empty();
  }

  /** Returns the subject of the entities. */
  public static Optional<SentSubject> of(SentEntities entities) {
    return named(entities.subject())
        .map(named ->
            new SentSubject(
                named.type(),
                named.id(),
                named.properties(),
                Optional.of(entities.about(named.id()))));
  }

  /** Returns the same subject with the id of its hosted passport. */
  SentSubject hosted(AgentId hosted) {
    return new SentSubject(
        type, hosted.value(), properties, entities.map(all -> all.about(hosted.value())));
  }

  /** Returns the id that a hosted passport of the subject may have; empty if it has none. */
  Optional<AgentId> hostedId() {
    return AccessModel.isAgent(type)
        ? AgentId.hosted(id).or(() -> AgentId.hosted(AgentId.fold(id)))
        : Optional.empty();
  }

  boolean isListed(PolicyPack pack) {
    return pack.model().filter(model -> model.lists(type, id)).isPresent();
  }

  /** Whether the pack admits the subject, listed or of a type that is open to others. */
  boolean isAdmitted(PolicyPack pack) {
    return isListed(pack) || pack.model().filter(model -> model.isOpen(type)).isPresent();
  }

  /**
   * Whether the pack alone determines the passport: no hosted passport can be the subject's, or the
   * pack lists it and so precedes one.
   */
  public boolean isDeterminedBy(PolicyPack pack) {
    return isListed(pack) || hostedId().isEmpty();
  }

  /**
   * Returns the passport: with the pack's capabilities if the pack admits the subject, else what
   * the properties say. The properties of an admitted subject are attributes and nothing else.
   */
  public JsonObject passport(PolicyPack pack) {
    return isAdmitted(pack)
        ? JsonObject.builder()
            .put("status", "active")
            .put("agent_id", agentId(pack))
            .put("capabilities", JsonArray.ofStrings(pack.capabilities()))
            .build()
        : described();
  }

  /** Returns the passport that the caller's properties describe. */
  public JsonObject described() {
    return JsonObject.builder()
        .put("status", "active")
        .putAll(properties.without("passport_id"))
        .put("agent_id", agentId(id))
        .build();
  }

  /** Returns the subject as the pack evaluates it without a hosted passport. */
  Subject under(PolicyPack pack, OrgId org) {
    return under(pack, org, JsonObject.EMPTY, TemplateChain.NONE, List.of());
  }

  /** Returns the same, active no longer than the hosted passport of its id and its templates. */
  Subject under(PolicyPack pack, OrgId org, Subject hosted) {
    return under(
        pack,
        org,
        hosted.passport().document().only(JudgedPassport.VALIDITY),
        new TemplateChain(hosted.chain().active(), List.of()),
        hosted.changes());
  }

  private Subject under(
      PolicyPack pack, OrgId org, JsonObject validity, TemplateChain chain, List<String> changes) {
    JsonObject passport = passport(pack).toBuilder().putAll(validity).build();
    String agentId = agentId(pack);
    return new Subject(
        org,
        agentId,
        isAdmitted(pack) ? Decision.Source.PACK : Decision.Source.REQUEST,
        JudgedPassport.of(passport),
        CanonicalJson.digest(passport),
        chain,
        Stream.concat(Stream.of(Change.agent(agentId), Change.FEEDS), changes.stream())
            .distinct()
            .toList(),
        Optional.of(this));
  }

  /** Returns one id for all spellings of an agent that the pack lists. */
  private String agentId(PolicyPack pack) {
    return agentId(pack.model().map(model -> model.spelled(type, id)).orElse(id));
  }

  /** Returns the id with its type, because ids are unique per type; a digest where that is long. */
  private String agentId(String id) {
    String scoped = type + ":" + id;
    return scoped.length() <= AgentId.MAX_LENGTH && type.indexOf(':') < 0
        ? scoped
        : CanonicalJson.digest(JsonArray.ofStrings(List.of(type, id)));
  }
}
