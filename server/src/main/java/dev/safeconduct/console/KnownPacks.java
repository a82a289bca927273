package dev.safeconduct.console;

import dev.safeconduct.decision.ReasonCode;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackCache;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The packs that an organization may use, as compiled on this node: pages read no document.
 *
 * @param hosted the packs of organizations
 */
record KnownPacks(PolicyCatalog catalog, PackCache hosted) {
  Optional<PolicyPack> find(String org, String id) {
    return hosted
        .find(new OrgId(org), id)
        .map(PackCache.CachedPack::pack)
        .or(() -> catalog.find(id));
  }

  /** Returns the built-in packs, then those of the organization. */
  Stream<PolicyPack> all(String org) {
    return Stream.concat(catalog.all().stream(), hosted.active(new OrgId(org)).stream());
  }

  /** Returns whether a pack may deny with the reason. */
  boolean hasCode(String org, String code) {
    return Stream.of(ReasonCode.values()).anyMatch(known -> known.wire().equals(code))
        || all(org)
            .flatMap(pack -> pack.rules().stream())
            .anyMatch(rule -> rule.denyCode().equals(code));
  }
}
