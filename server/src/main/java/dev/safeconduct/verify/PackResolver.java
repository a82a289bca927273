package dev.safeconduct.verify;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.safeconduct.compat.Dialects;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.CanonicalJson;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.SizeEstimate;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyId;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackCache;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Finds the pack that a request names, or compiles the pack in the request. */
public final class PackResolver {
  /** The policy id in the path of a request with a pack in its body. */
  static final String IN_BODY = "IN_BODY";

  private static final int MAX_PACK_BYTES = 256 * 1024;

  /** The share of the greatest heap, in percent. */
  private static final int SHARE = 5;

  private final PolicyCatalog catalog;
  private final PackReader reader;
  private final PackCache shelf;

  /** Compiled packs of requests by digest. */
  private final Cache<String, JudgedPack> compiled =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumWeight(SizeEstimate.ofHeap(SHARE))
          .<String, JudgedPack>weigher((_, judged) -> judged.pack().size())
          .build();

  public PackResolver(PolicyCatalog catalog, PackReader reader, PackCache shelf) {
    this.catalog = catalog;
    this.reader = reader;
    this.shelf = shelf;
  }

  /** {@code org}: the organization whose own packs the request may name. */
  JudgedPack resolve(VerifyRequest request, Supplier<OrgId> org) {
    if (request.policyId().equals(IN_BODY)) {
      return sentAlong(
          request
              .sent()
              .policy()
              .orElseThrow(() ->
                  ProblemException.invalid(
                      "policy", "policy is missing: send the pack to evaluate.")));
    }
    Optional<PolicyPack> everybodys = catalog.find(Dialects.policyId(request.policyId()));
    return everybodys.isPresent()
        ? JudgedPack.of(everybodys.get(), true, List.of())
        : shelf
            .find(org.get(), request.policyId())
            .map(JudgedPack::of)
            .orElseThrow(() -> unknown(request.policyId()));
  }

  /** Returns the organization's pack with the id, or the shared pack. */
  public Optional<JudgedPack> hosted(String policyId, OrgId org) {
    Optional<PolicyPack> everybodys = catalog.find(Dialects.policyId(policyId));
    return everybodys.isPresent()
        ? everybodys.map(pack -> JudgedPack.of(pack, true, List.of()))
        : shelf.find(org, policyId).map(JudgedPack::of);
  }

  private JudgedPack sentAlong(JsonObject document) {
    PolicyId id =
        document
            .string("id")
            .or(() -> document.string("policy_id"))
            .flatMap(PolicyId::parse)
            .orElseThrow(() ->
                ProblemException.invalid(
                    "policy.id", "policy.id must be 1 to 128 of A-Za-z0-9._-"));
    byte[] canonical = CanonicalJson.bytes(document);
    if (canonical.length > MAX_PACK_BYTES) {
      return unusable(
          id, document, List.of("the pack is larger than " + MAX_PACK_BYTES + " bytes"));
    }
    return compiled.get(CanonicalJson.digest(canonical), _ -> compile(id, document));
  }

  private JudgedPack compile(PolicyId id, JsonObject document) {
    try {
      return JudgedPack.of(reader.read(document), false, List.of());
    } catch (PackFault e) {
      return unusable(id, document, e.lines());
    }
  }

  private static JudgedPack unusable(PolicyId id, JsonObject document, List<String> faults) {
    return JudgedPack.of(PolicyPack.unusable(id, document), false, faults);
  }

  static RuntimeException unknown(String id) {
    return ProblemException.notFound(
        "No policy pack of that id is known; GET /api/policies lists them.",
        "unknown_policy",
        PolicyId.parse(id).isPresent() ? Map.of("policy_id", id) : Map.of());
  }
}
