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

  public PolicyCatalog(Collection<PolicyPack> packs) {
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

  /** Returns all packs. */
  public Collection<PolicyPack> all() {
    return packs.values();
  }
}
