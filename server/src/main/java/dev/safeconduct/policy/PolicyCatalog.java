package dev.safeconduct.policy;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The packs that every organization may use, by id. */
public final class PolicyCatalog {
  private final Map<String, PolicyPack> packs;

  /**
   * @throws IllegalStateException if two packs evaluate the same AuthZEN action
   */
  public PolicyCatalog(Collection<PolicyPack> packs) {
    for (PolicyPack one : packs) {
      for (PolicyPack other : packs) {
        if (!one.id().equals(other.id())) {
          AccessModel.sharedAction(one, other)
              .ifPresent(action -> {
                throw new IllegalStateException(
                    "The packs %s and %s both evaluate the action %s; change one of them."
                        .formatted(one.id(), other.id(), action));
              });
        }
      }
    }
    this.packs =
        Collections.unmodifiableMap(
            packs.stream()
                .collect(
                    Collectors.toMap(
                        pack -> pack.id().value(),
                        Function.identity(),
                        (_, second) -> second,
                        TreeMap::new)));
  }

  public Optional<PolicyPack> find(String id) {
    return Optional.ofNullable(packs.get(id));
  }

  public Collection<PolicyPack> all() {
    return packs.values();
  }
}
