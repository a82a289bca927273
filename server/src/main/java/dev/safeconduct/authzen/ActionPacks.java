package dev.safeconduct.authzen;

import dev.safeconduct.authzen.OwnActions.PackTerms;
import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.PolicyCatalog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Finds the pack for an action's name. The name is a policy id, else an action that one of the
 * organization's packs lists, else a capability id.
 */
public final class ActionPacks {
  private final Map<String, PackTerms> everybodys;
  private final UnaryOperator<String> policyIds;
  private final OwnActions own;

  /**
   * @param policyIds maps an old policy id, which clients may still send, to the current id
   */
  public ActionPacks(PolicyCatalog catalog, UnaryOperator<String> policyIds, OwnActions own) {
    var terms = new TreeMap<String, PackTerms>();
    catalog
        .all()
        .forEach(pack ->
            terms.put(pack.id().value(), PackTerms.of(pack.id(), pack.digest(), pack.document())));
    this.everybodys = terms;
    this.policyIds = policyIds;
    this.own = own;
  }

  /** Returns the pack for the action on resources of the type. */
  Choice choose(OrgId org, String action, String resourceType) {
    PackTerms builtIn = everybodys.get(policyIds.apply(action));
    if (builtIn != null) {
      return pack(builtIn);
    }
    List<PackTerms> owned = own.of(org);
    for (PackTerms pack : owned) {
      if (pack.id().value().equals(action)) {
        return pack(pack);
      }
    }
    Choice listed =
        theOnly(
            owned, pack -> pack.model().filter(m -> m.covers(action, resourceType)).isPresent());
    if (!(listed instanceof Choice.None none) || none.status() != 404) {
      return listed;
    }
    String capability = Capabilities.canonical(action);
    var all = new ArrayList<>(everybodys.values());
    all.addAll(owned);
    return theOnly(
        all,
        pack ->
            pack.capabilities().stream().map(Capabilities::canonical).anyMatch(capability::equals));
  }

  private static Choice theOnly(List<PackTerms> packs, Predicate<PackTerms> judges) {
    List<PackTerms> found = packs.stream().filter(judges).toList();
    return switch (found.size()) {
      case 0 ->
          new Choice.None(
              404,
              "Nothing judges this action; action.name is a policy id, an action that a pack of the"
                  + " organization lists for this type of resource, or a capability id.");
      case 1 -> pack(found.getFirst());
      default ->
          new Choice.None(
              409,
              "More than one pack judges this action ("
                  + String.join(", ", found.stream().map(pack -> pack.id().value()).toList())
                  + "); name one by its policy id.");
    };
  }

  private static Choice.Pack pack(PackTerms terms) {
    return new Choice.Pack(
        terms.id().value(),
        terms.digest(),
        terms.capabilities(),
        terms.model(),
        terms.obligations());
  }

  /** Returns the models of the organization's packs that apply to resources of the type. */
  List<AccessModel> models(OrgId org, String resourceType) {
    return own.of(org).stream()
        .map(PackTerms::model)
        .flatMap(Optional::stream)
        .filter(model -> model.coversType(resourceType))
        .toList();
  }

  /** Returns the ids of packs without named actions. Such an id is itself an action name. */
  Set<String> policies(OrgId org) {
    var ids = new TreeSet<>(everybodys.keySet());
    own.of(org).stream()
        .filter(pack -> pack.model().isEmpty())
        .forEach(pack -> ids.add(pack.id().value()));
    return ids;
  }
}
