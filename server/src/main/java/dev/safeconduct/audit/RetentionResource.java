package dev.safeconduct.audit;

import dev.safeconduct.access.Rights;
import dev.safeconduct.deploy.Resource;
import dev.safeconduct.deploy.ResourceChange;
import dev.safeconduct.deploy.ResourceKind;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.DeployRight;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.Recorder;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The retention of an organization in files. */
public final class RetentionResource implements ResourceKind {
  private static final String KIND = "Retention";
  private static final String DAYS = "days";
  private static final ResourceChange.Target TARGET =
      new ResourceChange.Target(KIND, "retention", "retention");

  private final Erasures erasures;
  private final Recorder recorder;

  public RetentionResource(Erasures erasures, Recorder recorder) {
    this.erasures = erasures;
    this.recorder = recorder;
  }

  @Override
  public List<String> names() {
    return List.of(KIND);
  }

  @Override
  public long count(OrgId org) {
    return 1;
  }

  @Override
  public List<JsonObject> describe(Planning planning) {
    if (!Rights.mayDeploy(planning.origin().caller(), DeployRight.RETENTION)) {
      return List.of();
    }
    return erasures
        .find(planning.org())
        .map(set -> shown(set.days()).toBuilder().put("kind", KIND).build())
        .map(List::of)
        .orElse(List.of());
  }

  private static JsonObject shown(Optional<Integer> days) {
    return JsonObject.builder().putNumberOrNull(DAYS, days).build();
  }

  @Override
  public Optional<JsonObject> current(OrgId org, String object) {
    return erasures.find(org).map(set -> shown(set.days()));
  }

  /** Checks the members of a file without a server. */
  public static void check(Members members) {
    Optional<Integer> _ = days(members);
  }

  private static Optional<Integer> days(Members members) {
    return RetentionEndpoints.days(members.only(Set.of(DAYS, "name")));
  }

  @Override
  public List<ResourceChange> plan(Planning planning, List<Resource> resources) {
    if (resources.size() > 1) {
      throw ProblemException.invalid(
          resources.get(1).place(), "An organization has one " + KIND + "; there are more.");
    }
    return resources.stream()
        .map(resource -> resource.located(() -> change(planning, resource)))
        .toList();
  }

  private ResourceChange change(Planning planning, Resource resource) {
    Rights.demandDeploy(planning.origin().caller(), DeployRight.RETENTION, "The retention");
    Optional<Integer> days = days(resource.members());
    Optional<Integer> before = erasures.find(planning.org()).flatMap(Retention::days);
    String seen = before.map(String::valueOf).orElse("none");
    ResourceChange change;
    if (before.equals(days)) {
      change = ResourceChange.unchanged(TARGET, seen);
    } else {
      var set = new Retention(planning.org(), days, recorder.now());
      change =
          ResourceChange.update(
              TARGET,
              seen,
              ResourceChange.Difference.between(shown(before), shown(days)),
              Erasures.setting(
                  set,
                  before,
                  RetentionEndpoints.record(recorder, planning.origin(), set, before)));
    }
    return change.applying(shown(days), List.of());
  }
}
