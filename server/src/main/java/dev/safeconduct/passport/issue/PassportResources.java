package dev.safeconduct.passport.issue;

import dev.safeconduct.access.Rights;
import dev.safeconduct.db.Reads;
import dev.safeconduct.deploy.Resource;
import dev.safeconduct.deploy.ResourceChange;
import dev.safeconduct.deploy.ResourceKind;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.DeployRight;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.PassportStatus;
import dev.safeconduct.identity.Scope;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.json.Members;
import dev.safeconduct.ledger.Mutation;
import dev.safeconduct.passport.ChangeStatus;
import dev.safeconduct.passport.IssuePassport;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.PassportChange;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.passport.UpdatePassport;
import dev.safeconduct.text.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Passports and templates in files: found by slug, or else by agent id. */
public final class PassportResources implements ResourceKind {
  private static final String PASSPORT = "Passport";
  private static final String TEMPLATE = "Template";

  /** A template that begins as a preset of the release. */
  private static final String PRESET = "Preset";

  /** Names the template of an instance by its slug. */
  private static final String MADE_FROM = "template";

  private static final String STATUS = "status";

  /** The members that files describe, in their order. */
  private static final List<String> DESCRIBED =
      Words.list(
          """
          slug name description role capabilities limits regions framework categories links
          contact did mcp hooks metadata expires_at never_expires
          """);

  /** The members that a file can give a new passport, and no other one. */
  private static final List<String> ONLY_NEW = List.of("agent_id", "assurance_level");

  private static final Set<String> SHOWN_WHEN_EMPTY = Set.of("capabilities", "limits");

  private final Passports passports;
  private final Reads reads;
  private final IssuePassport issue;
  private final IssueInstance instances;
  private final UpdatePassport update;
  private final ChangeStatus changeStatus;

  public PassportResources(
      Passports passports,
      Reads reads,
      IssuePassport issue,
      IssueInstance instances,
      UpdatePassport update,
      ChangeStatus changeStatus) {
    this.passports = passports;
    this.reads = reads;
    this.issue = issue;
    this.instances = instances;
    this.update = update;
    this.changeStatus = changeStatus;
  }

  @Override
  public List<String> names() {
    return List.of(PASSPORT, TEMPLATE, PRESET);
  }

  /** Leaves out the instances that files manage: their labels are counted, too. */
  @Override
  public long count(OrgId org) {
    return Passports.countMadeFromNone(reads, org);
  }

  @Override
  public List<JsonObject> describe(Planning planning) {
    // Instances are made at run time, too; only those of files are in files.
    Set<String> ofFiles = planning.objects(PASSPORT);
    var parents = new HashSet<String>();
    var inFiles = new ArrayList<Passport>();
    Passports.each(
        reads,
        planning.org(),
        passport -> {
          Optional<String> parent = parent(passport);
          if (passport.status() != PassportStatus.REVOKED) {
            parent.ifPresent(parents::add);
            if (parent.isEmpty() || ofFiles.contains(passport.agentId().value())) {
              inFiles.add(passport);
            }
          }
        });
    return inFiles.stream().map(passport -> described(planning.org(), passport, parents)).toList();
  }

  private JsonObject described(OrgId org, Passport passport, Set<String> parents) {
    Optional<String> parent = parent(passport);
    boolean template = parent.isEmpty() && parents.contains(passport.agentId().value());
    JsonObject.Builder shown = JsonObject.builder().put("kind", template ? TEMPLATE : PASSPORT);
    if (passport.slug().filter(slug -> !slug.isEmpty()).isEmpty()) {
      shown.put("agent_id", passport.agentId().value());
    }
    parent.ifPresent(id ->
        shown.put(
            MADE_FROM,
            found(org, id)
                .filter(above -> above.status() != PassportStatus.REVOKED)
                .flatMap(Passport::slug)
                .orElse(id)));
    for (String name : DESCRIBED) {
      JsonValue value = passport.document().present(name);
      if (value != null && (SHOWN_WHEN_EMPTY.contains(name) || !isEmpty(value))) {
        shown.put(name, value);
      }
    }
    if (passport.status() != PassportStatus.ACTIVE) {
      shown.put(STATUS, passport.status().wire());
    }
    return shown.build();
  }

  private static boolean isEmpty(@Nullable JsonValue value) {
    return switch (value) {
      case JsonObject object -> object.names().stream().allMatch(name -> isEmpty(object.get(name)));
      case JsonArray array -> array.size() == 0;
      case JsonString(String text) -> text.isEmpty();
      case null, default -> false;
    };
  }

  private static Optional<String> parent(Passport passport) {
    return passport.document().string("parent_agent_id");
  }

  @Override
  public Optional<JsonObject> current(OrgId org, String object) {
    return found(org, object).map(Passport::document);
  }

  private Optional<Passport> found(OrgId org, String object) {
    return passports.find(new Tenant.One(org), new AgentId(object));
  }

  @Override
  public List<ResourceChange> plan(Planning planning, List<Resource> resources) {
    return new Run(planning, resources).run();
  }

  /** One plan; templates come before their instances. */
  private final class Run {
    private final Planning planning;
    private final Map<String, Resource> bySlug = new LinkedHashMap<>();
    private final Map<String, Passport> planned = new HashMap<>();
    private final Map<String, Passport> plannedById = new HashMap<>();
    private final Map<String, Optional<Passport>> stored = new HashMap<>();
    private final Set<String> begun = new HashSet<>();
    private final List<ResourceChange> changes = new ArrayList<>();

    Run(Planning planning, List<Resource> resources) {
      this.planning = planning;
      boolean any = resources.stream().anyMatch(each -> each.kind().equals(PRESET));
      Optional<Presets> presets = any ? Optional.of(Presets.builtIn()) : Optional.empty();
      for (Resource each : resources) {
        String name = each.located(() -> name(each.members()));
        Resource resource =
            presets
                .filter(_ -> each.kind().equals(PRESET))
                .map(known ->
                    new Resource(
                        each.place(), TEMPLATE, each.located(() -> known.template(each.members()))))
                .orElse(each);
        if (bySlug.put(name, resource) != null) {
          throw ProblemException.invalid(
              resource.place() + ".slug", "Two resources have the slug " + name + ".");
        }
      }
    }

    List<ResourceChange> run() {
      bySlug.forEach((name, resource) -> plan(name, resource, 0));
      return changes;
    }

    /** Plans a resource, and before it its templates: this one is so far above {@code lowest}. */
    private void plan(String name, Resource lowest, int above) {
      Resource resource = bySlug.get(name);
      if (resource == null || planned.containsKey(name)) {
        return;
      }
      if (!begun.add(name)) {
        throw ProblemException.invalid(
            resource.place() + "." + MADE_FROM, "The templates of " + name + " form a circle.");
      }
      // The stored template, too: the passport is checked against what its template becomes.
      // Before the stack is full, too.
      boolean _ = lowest.located(() -> demandFewTemplates(lowest.members(), above));
      resource
          .body()
          .string(MADE_FROM)
          .or(() -> storedTemplate(name))
          .ifPresent(template -> plan(template, lowest, above + 1));
      resource.located(() -> planned(resource, name));
    }

    /** Returns the name under which the resources describe the template of an instance, if any. */
    private Optional<String> storedTemplate(String name) {
      return find(name)
          .flatMap(passport -> parent(passport))
          .flatMap(
              id -> found(planning.org(), id).flatMap(Passport::slug).or(() -> Optional.of(id)))
          .filter(bySlug::containsKey);
    }

    /** Returns the template of an instance, as it will be. */
    private Optional<Passport> template(Passport instance) {
      return parent(instance)
          .flatMap(
              id -> Optional.ofNullable(plannedById.get(id)).or(() -> found(planning.org(), id)));
    }

    private Passport planned(Resource resource, String name) {
      Members members = resource.members();
      Optional<String> madeFrom = members.text(MADE_FROM);
      if (madeFrom.isPresent() && resource.kind().equals(TEMPLATE)) {
        throw members.fault(
            MADE_FROM, "A passport made from a template has the kind " + PASSPORT + ".");
      }
      Optional<Passport> template =
          madeFrom.map(slug ->
              find(slug)
                  .orElseThrow(() ->
                      members.fault(
                          MADE_FROM, MADE_FROM + " is not a passport of this organization.")));
      Optional<Passport> before = before(members, name);
      JsonObject body = resource.body().without(MADE_FROM);
      Passport after =
          before.isPresent()
              ? updated(resource, before.get(), template, body, name)
              : created(members, template, body, name);
      planned.put(name, after);
      plannedById.put(after.agentId().value(), after);
      planning.agents().put(name, after.agentId());
      return after;
    }

    private static boolean demandFewTemplates(Members members, int above) {
      if (above > Passport.MOST_TEMPLATES) {
        throw members.fault(
            MADE_FROM,
            "A passport has at most " + Passport.MOST_TEMPLATES + " templates above it.");
      }
      return true;
    }

    /** Returns the passport that a resource describes, found by its slug or else by its id. */
    private Optional<Passport> before(Members members, String name) {
      Optional<String> id = members.text("agent_id");
      Optional<Passport> named = find(name).or(() -> id.flatMap(this::find));
      if (named.isPresent()
          && id.isPresent()
          && !named.get().agentId().value().equals(id.get())
          && found(planning.org(), id.get()).isPresent()) {
        throw members.fault("slug", "Another passport has the slug " + name + ".");
      }
      return named;
    }

    /** Returns the passport as it will be: by its slug, an earlier slug in files, or its id. */
    private Optional<Passport> find(String name) {
      Optional<Passport> known = Optional.ofNullable(planned.get(name));
      return known.or(() -> stored.computeIfAbsent(name, this::stored));
    }

    private Optional<Passport> stored(String name) {
      return passports
          .bySlug(new Tenant.One(planning.org()), name)
          .or(() -> planning.object(PASSPORT, name).flatMap(id -> found(planning.org(), id)))
          .or(() -> found(planning.org(), name));
    }

    private Passport updated(
        Resource resource,
        Passport before,
        Optional<Passport> template,
        JsonObject body,
        String name) {
      Members members = resource.members();
      if (before.status() == PassportStatus.REVOKED) {
        throw members.fault(
            "slug", "The passport " + name + " is revoked for good; choose another slug.");
      }
      Optional<String> parent = parent(before);
      if (parent.isPresent() && resource.kind().equals(TEMPLATE)) {
        throw members.fault(
            "kind", "A passport made from a template has the kind " + PASSPORT + ".");
      }
      Optional<String> asked = template.map(above -> above.agentId().value());
      if (asked.isPresent() && !asked.equals(parent)) {
        throw members.fault(
            MADE_FROM, "The template of a passport never changes; choose another slug.");
      }
      Optional<Passport> above = template.or(() -> template(before));
      UpdatePassport.Prepared prepared = prepared(before, above, body);
      var warnings = new ArrayList<>(prepared.warnings());
      if (!members
          .text(STATUS)
          .orElse(PassportStatus.ACTIVE.wire())
          .equals(before.status().wire())) {
        warnings.add(
            "The passport is "
                + before.status().wire()
                + " and stays so: files set the status of a new passport only.");
      }
      var target = new ResourceChange.Target(PASSPORT, before.agentId().value(), name);
      String seen = Long.toString(before.revision());
      ResourceChange change =
          prepared.after().revision() == before.revision()
              ? ResourceChange.unchanged(target, seen)
              : ResourceChange.update(
                      target,
                      seen,
                      ResourceChange.Difference.between(
                          before.document().only(DESCRIBED),
                          prepared.after().document().only(DESCRIBED)),
                      Passports.replacing(
                          prepared.after(),
                          before.revision(),
                          update.record(planning.origin(), prepared)))
                  .replayedWith(prepared.after().document());
      add(
          made(
              change.applying(prepared.applied(), warnings).comparedWith(before.document()),
              above));
      return prepared.after();
    }

    /**
     * A file that says what is there is not checked again: a template may have become narrower than
     * an instance, or a release stricter, and what was pulled is still unchanged.
     */
    private UpdatePassport.Prepared prepared(
        Passport before, Optional<Passport> above, JsonObject body) {
      JsonObject asked = body.without(STATUS).without("agent_id");
      return asked.equals(before.document().only(asked.names()))
          ? new UpdatePassport.Prepared(before, before, asked.only(DESCRIBED), List.of())
          : update.prepare(planning.origin(), before, above, asked);
    }

    private Passport created(
        Members members, Optional<Passport> template, JsonObject body, String name) {
      Rights.of(planning.origin().caller()).demand(Scope.ISSUE);
      if (!body.has("slug")) {
        throw members.missing("slug");
      }
      int above = 0;
      for (var each = template; each.isPresent(); each = template(each.get())) {
        above++;
        boolean _ = demandFewTemplates(members, above);
      }
      IssuePassport.Draft draft =
          template.isPresent()
              ? instances.draft(planning.origin(), template.get(), body)
              : issue.draft(planning.origin(), planning.org(), body, IssuePassport.Claim.CLAIMED);
      Passport passport = draft.passport();
      // Read as the update that the same file is the next time: it must not be refused then.
      JsonObject applied = update.applied(body, passport.document());
      // What only a new passport gets is no part of what files set later, but readers must see it.
      JsonObject.Builder shown =
          JsonObject.builder()
              .putAll(passport.document().only(applied.only(DESCRIBED).names()))
              .putAll(passport.document().only(ONLY_NEW.stream().filter(members::has).toList()))
              .put(STATUS, passport.status().wire());
      members.text(MADE_FROM).ifPresent(slug -> shown.put(MADE_FROM, slug));
      ResourceChange change =
          ResourceChange.create(
                  new ResourceChange.Target(PASSPORT, passport.agentId().value(), name),
                  shown.build(),
                  draft.warnings(),
                  Passports.creating(passport, issue.record(planning.origin(), passport)))
              .applying(applied, draft.warnings());
      add(made(change, template));
      return passport;
    }

    private void add(ResourceChange change) {
      if (change.action() != ResourceChange.Action.UNCHANGED) {
        planning.countChange();
      }
      changes.add(change);
    }

    /** A template narrows its instances: a plan is of both versions. */
    private static ResourceChange made(ResourceChange change, Optional<Passport> template) {
      return template.map(above -> change.madeFrom(Long.toString(above.revision()))).orElse(change);
    }
  }

  private static String name(Members members) {
    return members
        .text("slug")
        .or(() -> members.text("agent_id"))
        .orElseThrow(() -> members.missing("slug"));
  }

  @Override
  public Optional<ResourceChange> remove(Planning planning, ResourceChange.Target target) {
    return removeAll(planning, List.of(target)).stream().findFirst();
  }

  /**
   * A removed passport is suspended: its history stays, and a person can resume it. Receivers are
   * told of all at once, and people get one email about them.
   */
  @Override
  public List<ResourceChange> removeAll(Planning planning, List<ResourceChange.Target> targets) {
    var suspended = new ArrayList<PassportChange>();
    var removed = new ArrayList<ResourceChange.Target>();
    for (ResourceChange.Target target : targets) {
      Passport before = found(planning.org(), target.object()).orElse(null);
      if (before == null
          || before.status() == PassportStatus.SUSPENDED
          || !before.status().mayBecome(PassportStatus.SUSPENDED)) {
        continue;
      }
      Rights.demandDeploy(
          planning.origin().caller(),
          DeployRight.WITHDRAW,
          "Suspending the passport " + target.name());
      suspended.add(
          changeStatus.prepare(
              planning.origin(),
              before,
              PassportStatus.SUSPENDED,
              "No file describes the passport any more."));
      removed.add(target);
      planning.countChange();
    }
    var removals = new ArrayList<ResourceChange>();
    for (PassportChange change : suspended) {
      boolean last = removals.size() == suspended.size() - 1;
      Mutation<Boolean> stored = change.storing();
      ResourceChange removal =
          ResourceChange.delete(
                  removed.get(removals.size()),
                  Long.toString(change.before().revision()),
                  last ? changeStatus.emailed(suspended, stored) : stored)
              .replayedWith(change.after().document());
      removals.add(last ? removal.then(() -> changeStatus.tell(suspended)) : removal);
    }
    return removals;
  }
}
