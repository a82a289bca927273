package dev.safeconduct.cli;

import dev.safeconduct.app.BuiltInPacks;
import dev.safeconduct.audit.RetentionResource;
import dev.safeconduct.error.PolicyFault;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.feed.FeedResources;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.PassportShape;
import dev.safeconduct.policy.PackFault;
import dev.safeconduct.webhook.WebhookResources;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks files without a server. */
@Command(
    name = "validate",
    exitCodeOnInvalidInput = DeployOptions.FAULT,
    description = {
      "Check files that describe an organization, without a server; list the faults of every file.",
      "Exit status: 0 valid, 1 not valid or usage error."
    })
public final class ValidateCommand implements Callable<Integer> {
  @Mixin private Terminal terminal;

  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "PATH",
      description = "A YAML or JSON file, or a folder of such files and of packs.")
  private List<Path> paths;

  private final PassportShape passports = PassportShape.builtIn();
  private int faults;

  @Override
  public Integer call() {
    PrintWriter out = terminal.out();
    try {
      DeployFiles files = DeployFiles.read(paths);
      Set<String> names = new HashSet<>();
      for (DeployFiles.Described each : files.all()) {
        check(files, each, names);
      }
      out.println(counted(files.all().size(), "object") + ", " + counted(faults, "fault"));
    } catch (DeployFiles.Invalid e) {
      fault(String.valueOf(e.getMessage()));
    }
    out.flush();
    return faults == 0 ? 0 : DeployOptions.FAULT;
  }

  private static String counted(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  private void check(DeployFiles files, DeployFiles.Described each, Set<String> names) {
    JsonObject resource = each.resource();
    String kind = resource.text("kind");
    JsonObject body = resource.without("kind");
    try {
      files.demandReferences(each);
      Members members = Members.of(body);
      switch (kind) {
        case "Passport", "Template" -> passport(each, body, names);
        case "Preset" -> passport(each, BuiltInPacks.template(members), names);
        case "Pack" -> pack(each, members.only(Set.of("document", "policy_id", "active")));
        case "Webhook" -> warn(each, WebhookResources.check(members));
        case "Retention" -> RetentionResource.check(members);
        case "Feed" -> FeedResources.check(members);
        default ->
            fault(
                each.place()
                    + ": kind must be Passport, Template, Preset, Pack, Webhook, Retention or Feed,"
                    + " not "
                    + kind);
      }
    } catch (ProblemException e) {
      fault(each.place() + ": " + e.problem().message());
    } catch (DeployFiles.Invalid e) {
      fault(String.valueOf(e.getMessage()));
    }
  }

  private void passport(DeployFiles.Described each, JsonObject body, Set<String> names) {
    Members members = Members.of(body);
    if (!each.resource().string("kind").equals(Optional.of("Passport"))
        && members.has("template")) {
      fault(each.place() + ": a passport made from a template has the kind Passport");
    }
    String slug =
        members
            .text("slug")
            .or(() -> members.text("agent_id"))
            .orElseThrow(() -> members.missing("slug"));
    if (!names.add(slug)) {
      fault(each.place() + ": another object has the slug " + slug);
    }
    warn(each, passports.warnings(body.without("template")));
  }

  private void warn(DeployFiles.Described each, List<String> warnings) {
    warnings.forEach(
        warning -> terminal.err().println(TextTable.plain(each.place() + ": " + warning)));
  }

  private void pack(DeployFiles.Described each, Members members) {
    JsonObject document =
        members.members("document").orElseThrow(() -> members.missing("document")).object();
    Optional<String> id = members.text("policy_id");
    boolean named = document.has("id") || document.has("policy_id") || id.isEmpty();
    try {
      BuiltInPacks.reader().read(named ? document : document.with("id", new JsonString(id.get())));
    } catch (PackFault e) {
      for (PolicyFault found : e.faults()) {
        fault(each.place() + ": " + found.text());
      }
    }
  }

  private void fault(String text) {
    faults++;
    terminal.err().println(TextTable.plain(text));
  }
}
