package dev.safeconduct.policy.hosted;

import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Origin;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.ledger.AuditRecord;
import dev.safeconduct.ledger.RecordKind;
import dev.safeconduct.ledger.Recorder;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Publishes packs and further versions of them; a version never changes once it is published. */
public final class PublishPack {
  /** The maximum size of a pack, in bytes of its canonical form. */
  public static final int MAX_BYTES = 256 * 1024;

  private static final int MAX_PACKS = 10_000;
  private static final int MAX_VERSIONS = 1_000;
  private static final int MAX_TRIES = 8;

  private final HostedPacks packs;
  private final PackReader reader;
  private final Predicate<String> reserved;
  private final Recorder recorder;

  /**
   * Creates the use case; {@code reserved} are the ids of public packs, which organizations cannot
   * use.
   */
  public PublishPack(
      HostedPacks packs, PackReader reader, Predicate<String> reserved, Recorder recorder) {
    this.packs = packs;
    this.reader = reader;
    this.reserved = reserved;
    this.recorder = recorder;
  }

  /** The pack, and whether its latest version is new. */
  public record Published(HostedPack pack, boolean isNew) {}

  /**
   * Checks a pack without storing it.
   *
   * @throws dev.safeconduct.error.ProblemException 422 listing every fault
   */
  public PolicyPack check(JsonObject document) {
    int size = CanonicalJson.bytes(document).length;
    if (size > MAX_BYTES) {
      throw invalid(
          List.of(
              PolicyFault.at(
                  "", "the pack has " + size + " bytes; " + MAX_BYTES + " are the most")));
    }
    try {
      return reader.read(document);
    } catch (PackFault e) {
      throw invalid(e.faults());
    }
  }

  /**
   * Adds a pack; its first version is not active until it is activated.
   *
   * @throws dev.safeconduct.error.ProblemException 422 listing every fault, 409 for an id that is
   *     taken or belongs to a public pack
   */
  public Published create(Origin origin, OrgId org, JsonObject document) {
    PolicyPack pack = check(document);
    demandRoom(org, pack);
    PackVersion first = version(origin, pack, document, 1);
    AuditRecord entry = record(origin, org, pack.id(), "created", first);
    if (!packs.create(org, pack.id(), first, document, entry)) {
      throw conflict(
          "The organization has a pack "
              + pack.id()
              + "; PUT /api/orgs/"
              + org.value()
              + "/policies/"
              + pack.id()
              + " adds a version to it.",
          "policy_exists");
    }
    return new Published(find(packs, org, pack.id()), true);
  }

  /**
   * Adds a version to a pack. Publishing the latest version again changes nothing.
   *
   * @throws dev.safeconduct.error.ProblemException 422 listing every fault, 400 if the id differs
   *     from the path's, 404 for a pack the organization does not have
   */
  public Published add(Origin origin, OrgId org, PolicyId id, JsonObject document) {
    JsonObject named =
        document.has("id") || document.has("policy_id")
            ? document
            : document.with("id", id.value());
    PolicyPack pack = check(named);
    if (!pack.id().equals(id)) {
      throw ProblemException.invalid("id", "id must be " + id + ", as in the path.");
    }
    for (int i = 0; i < MAX_TRIES; i++) {
      HostedPack seen = find(packs, org, id);
      if (seen.latest().digest().equals(pack.digest())) {
        return new Published(seen, false);
      }
      PackVersion next = next(origin, pack, named, Optional.of(seen));
      if (packs.add(seen, next, named, record(origin, org, id, "version_added", next))) {
        return new Published(find(packs, org, id), true);
      }
    }
    throw busy();
  }

  /** Refuses a new pack with the id of a public one, and one too many. */
  void demandRoom(OrgId org, PolicyPack pack) {
    if (reserved.test(pack.id().value())) {
      throw conflict(
          "The id " + pack.id() + " is one of everybody's packs; give yours another.",
          "policy_id_reserved");
    }
    demandRoom(packs.count(org));
  }

  /** Refuses one pack too many. */
  static void demandRoom(long packs) {
    if (packs >= MAX_PACKS) {
      throw conflict("An organization has at most " + MAX_PACKS + " packs.", "too_many_policies");
    }
  }

  PackVersion next(Origin origin, PolicyPack pack, JsonObject document, Optional<HostedPack> seen) {
    int latest = seen.map(found -> found.latest().number()).orElse(0);
    if (latest >= MAX_VERSIONS) {
      throw conflict("A pack has at most " + MAX_VERSIONS + " versions.", "too_many_versions");
    }
    return version(origin, pack, document, latest + 1);
  }

  static HostedPack find(HostedPacks packs, OrgId org, PolicyId id) {
    return packs.find(org, id).orElseThrow(() -> unknown(id.value()));
  }

  static RuntimeException unknown(String id) {
    return ProblemException.notFound(
        "The organization has no policy pack of that id.",
        "unknown_policy",
        PolicyId.parse(id).isPresent() ? java.util.Map.of("policy_id", id) : java.util.Map.of());
  }

  static RuntimeException busy() {
    return ProblemException.unavailable("The pack is changing too quickly; try again.", 1);
  }

  static RuntimeException conflict(String message, String reason) {
    return ProblemException.conflict(message, reason);
  }

  private PackVersion version(Origin origin, PolicyPack pack, JsonObject document, int number) {
    return new PackVersion(
        number,
        CanonicalJson.digest(document),
        pack.name(),
        pack.version(),
        recorder.now(),
        origin.caller().name(),
        Optional.empty());
  }

  private AuditRecord record(
      Origin origin, OrgId org, PolicyId id, String change, PackVersion version) {
    return recorder.write(
        RecordKind.POLICY_CHANGED, org, version.createdAt(), origin, version.recorded(change, id));
  }

  private static RuntimeException invalid(List<PolicyFault> faults) {
    String more = faults.size() == 1 ? "" : " (and " + (faults.size() - 1) + " more)";
    return new Problem.InvalidPolicy(
            "The policy pack cannot be used: "
                + faults.getFirst().text()
                + more
                + (more.isEmpty() && faults.getFirst().text().endsWith("?") ? "" : "."),
            faults)
        .toException();
  }
}
