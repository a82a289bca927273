package dev.safeconduct.authzen;

import dev.safeconduct.decision.Capabilities;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.policy.AccessModel;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.policy.hosted.PackCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Finds the pack for an action's name. The name is a policy id, else an action that a pack lists,
 * else a capability id.
 */
public final class ActionPacks {
  private final PolicyCatalog everybodys;
  private final UnaryOperator<String> policyIds;
  private final PackCache own;

  /**
   * @param policyIds maps an old policy id, which clients may still send, to the current id
   */
  public ActionPacks(PolicyCatalog everybodys, UnaryOperator<String> policyIds, PackCache own) {
    this.everybodys = everybodys;
    this.policyIds = policyIds;
    this.own = own;
  }

  /** The pack that evaluates an action, or the reason why no pack does. */
  sealed interface Choice {
    record Pack(PolicyPack pack) implements Choice {}

    /** No pack or more than one pack matches the action. {@code status}: 404 or 409. */
    record None(int status, String message) implements Choice {}
  }

  Choice choose(OrgId org, String action, String resourceType) {
    Optional<PolicyPack> builtIn = everybodys.find(policyIds.apply(action));
    if (builtIn.isPresent()) {
      return new Choice.Pack(builtIn.get());
    }
    List<PolicyPack> all = packs(org);
    for (PolicyPack pack : all) {
      if (pack.id().value().equals(action)) {
        return new Choice.Pack(pack);
      }
    }
    Choice listed =
        theOnly(
            all,
            pack -> pack.model().filter(m -> m.covers(action, resourceType)).isPresent(),
            "activate only one of them");
    if (!(listed instanceof Choice.None none) || none.status() != 404) {
      return listed;
    }
    String capability = Capabilities.canonical(action);
    return theOnly(
        all,
        pack ->
            pack.capabilities().stream().map(Capabilities::canonical).anyMatch(capability::equals),
        "name one by its policy id, or an action that one of them lists");
  }

  /**
   * Returns the request as a pack evaluates it. A method of MCP is mapped unless a pack lists it.
   */
  EvaluationRequest mapped(AuthzenCaller asker, EvaluationRequest request) {
    return choose(asker.org(), request.action().name(), request.resource().type())
                instanceof Choice.None none
            && none.status() == 404
        ? McpMapping.of(request, asker.mcpServer()).orElse(request)
        : request;
  }

  private static Choice theOnly(
      List<PolicyPack> packs, Predicate<PolicyPack> matches, String advice) {
    List<PolicyPack> found = packs.stream().filter(matches).toList();
    return switch (found.size()) {
      case 0 ->
          new Choice.None(
              404,
              "No pack evaluates this action. action.name is a policy id, an action that a pack"
                  + " lists for this type of resource, or a capability id.");
      case 1 -> new Choice.Pack(found.getFirst());
      default ->
          new Choice.None(
              409,
              "More than one pack evaluates this action ("
                  + String.join(", ", found.stream().map(pack -> pack.id().value()).toList())
                  + "); "
                  + advice
                  + ".");
    };
  }

  /** Returns the built-in packs, then the organization's active packs. */
  private List<PolicyPack> packs(OrgId org) {
    var all = new ArrayList<>(everybodys.all());
    all.addAll(own.active(org));
    return all;
  }

  /** Returns the models that apply to resources of the type. */
  List<AccessModel> models(OrgId org, String resourceType) {
    return packs(org).stream()
        .map(PolicyPack::model)
        .flatMap(Optional::stream)
        .filter(model -> model.coversType(resourceType))
        .toList();
  }

  /** Returns the ids of packs without named actions. Such an id is itself an action name. */
  Set<String> policies(OrgId org) {
    var ids = new TreeSet<String>();
    packs(org).stream()
        .filter(pack -> pack.model().isEmpty())
        .forEach(pack -> ids.add(pack.id().value()));
    return ids;
  }
}
