package dev.safeconduct.cli;

import dev.safeconduct.app.BuiltInPacks;
import dev.safeconduct.decision.PolicyDecisionPoint;
import dev.safeconduct.decision.rules.Validators;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.policy.PackReader;
import dev.safeconduct.policy.PolicyCatalog;
import dev.safeconduct.policy.PolicyPack;
import dev.safeconduct.simulate.CaseRun;
import dev.safeconduct.simulate.PolicyCase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which pack runs which cases. The cases in a pack's folder run with that pack. Other cases run
 * with the pack that they name, given or built in, or with the only given pack.
 */
record CasePlan(List<Planned> planned, List<Faulty> faulty) {
  /** A pack with its cases. */
  record Planned(PolicyPack pack, List<PolicyCase> cases) {
    List<CaseRun> run() {
      var decisionPoint = new PolicyDecisionPoint(Validators.all(), _ -> {});
      return cases.stream().map(one -> CaseRun.of(one, pack, decisionPoint)).toList();
    }

    /** Returns the cases whose names contain the text. */
    Planned only(String text) {
      return new Planned(pack, cases.stream().filter(one -> one.name().contains(text)).toList());
    }
  }

  /** A pack that does not compile. */
  record Faulty(PackFiles.PackFile file, PackFault fault) {}

  static CasePlan of(PackFiles given) throws PackFiles.Unreadable {
    PackReader reader = BuiltInPacks.reader();
    var faulty = new ArrayList<Faulty>();
    Map<String, Planned> byId = new LinkedHashMap<>();
    for (PackFiles.PackFile file : given.packs()) {
      try {
        PolicyPack pack = reader.read(file.document());
        var cases = new ArrayList<PolicyCase>();
        file.cases().forEach(one -> cases.addAll(one.cases()));
        if (byId.put(pack.id().value(), new Planned(pack, cases)) != null) {
          throw new PackFiles.Unreadable(
              file.file(), "the id " + pack.id() + " is used by two packs");
        }
      } catch (PackFault e) {
        faulty.add(new Faulty(file, e));
      }
    }
    boolean one = byId.size() == 1;
    Optional<PolicyCatalog> everybodys = Optional.empty();
    Optional<PolicyPack> only = byId.values().stream().findFirst().map(Planned::pack);
    for (PackFiles.CaseFile file : given.cases()) {
      for (PolicyCase said : file.cases()) {
        Optional<String> id =
            said.pack().or(() -> one ? only.map(pack -> pack.id().value()) : Optional.empty());
        if (id.isEmpty()) {
          // The case names no pack. Its pack is faulty, which is reported, or none is given.
          if (faulty.isEmpty()) {
            throw new PackFiles.Unreadable(
                file.file(),
                said.name() + " does not name its pack, and exactly one pack must be given then");
          }
          continue;
        }
        Planned planned = byId.get(id.get());
        if (planned == null) {
          if (everybodys.isEmpty()) {
            everybodys = Optional.of(BuiltInPacks.catalog());
          }
          PolicyPack pack =
              everybodys.get().find(id.get()).orElseThrow(() -> unknown(file, id.get()));
          planned = new Planned(pack, new ArrayList<>());
          byId.put(id.get(), planned);
        }
        planned.cases().add(said);
      }
    }
    return new CasePlan(List.copyOf(byId.values()), faulty);
  }

  private static PackFiles.Unreadable unknown(PackFiles.CaseFile file, String id) {
    return new PackFiles.Unreadable(
        file.file(), "the pack " + id + " is neither given nor built in");
  }
}
