package dev.safeconduct.webhook;

import dev.safeconduct.access.Rights;
import dev.safeconduct.deploy.Resource;
import dev.safeconduct.deploy.ResourceChange;
import dev.safeconduct.deploy.ResourceChange.Difference;
import dev.safeconduct.deploy.ResourceKind;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.identity.AgentId;
import dev.safeconduct.identity.DeployRight;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.identity.Tenant;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.Members;
import dev.safeconduct.passport.Passport;
import dev.safeconduct.passport.Passports;
import dev.safeconduct.text.Sha256;
import dev.safeconduct.webhook.delivery.Format;
import dev.safeconduct.webhook.delivery.ReceiverUrl;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Webhooks in files: found by their URL and the agent that they are for. */
public final class WebhookResources implements ResourceKind {
  private static final String KIND = "Webhook";

  /** Names an agent by the slug of its passport. */
  private static final String AGENT = "agent";

  private static final String ID = "webhook_id";
  private static final String SECRET = "secret";

  private static final Pattern TOKEN = Pattern.compile("[?@]|[^/]/(?=[^/]*[0-9])[^/]{16,}");

  /** Of a URL's digest: short in names, and too long for two URLs to agree in what changes. */
  private static final int NAME_BYTES = 4;

  private static final int ADDRESS_BYTES = 16;
  private static final Set<String> MEMBERS =
      Set.of(
          ID,
          "url",
          SECRET,
          "events",
          "format",
          AGENT,
          "active",
          "retry_attempts",
          "retry_delay_ms",
          "timeout_ms");

  private final Webhooks webhooks;
  private final ChangeWebhook change;
  private final Destinations destinations;
  private final Passports passports;

  public WebhookResources(Notifications notifications, Passports passports) {
    this.webhooks = notifications.webhooks;
    this.change = notifications.changeWebhook;
    this.destinations = notifications.destinations;
    this.passports = passports;
  }

  @Override
  public List<String> names() {
    return List.of(KIND);
  }

  @Override
  public long count(OrgId org) {
    return webhooks.count(org);
  }

  @Override
  public List<JsonObject> describe(Planning planning) {
    if (!Rights.mayDeploy(planning.origin().caller(), DeployRight.WEBHOOKS)) {
      return List.of();
    }
    var described = new ArrayList<JsonObject>();
    var found = new HashSet<String>();
    for (Webhook webhook : webhooks.all(planning.org())) {
      JsonObject.Builder shown = JsonObject.builder().put("kind", KIND);
      boolean secret = mayHoldToken(webhook);
      if (!found.add(webhook.url().text() + " " + webhook.agent()) || secret) {
        shown.put(ID, webhook.id());
      }
      if (!secret) {
        shown.put("url", webhook.url().text());
      }
      webhook.agent().ifPresent(agent -> shown.put(AGENT, slug(planning.org(), agent)));
      described.add(shown.putAll(settings(webhook)).build());
    }
    return described;
  }

  /**
   * Returns whether the URL may hold a token, so that no file should have it: that of a chat, one
   * with a query, or with a part of the path that looks random.
   */
  private static boolean mayHoldToken(Webhook webhook) {
    return webhook.format() != Format.JSON || TOKEN.matcher(webhook.url().text()).find();
  }

  /** Returns what files set, without URL and secret. */
  private static JsonObject settings(Webhook webhook) {
    JsonObject.Builder shown =
        JsonObject.builder()
            .put("events", JsonArray.ofStrings(webhook.events()))
            .put("format", webhook.format().wire())
            .put("active", webhook.active());
    webhook.retries().ifPresent(count -> shown.put("retry_attempts", (long) count));
    webhook.delay().map(Duration::toMillis).ifPresent(ms -> shown.put("retry_delay_ms", ms));
    webhook.timeout().map(Duration::toMillis).ifPresent(ms -> shown.put("timeout_ms", ms));
    return shown.build();
  }

  @Override
  public Optional<JsonObject> current(OrgId org, String object) {
    return webhooks.find(new Tenant.One(org), object).map(this::managed);
  }

  /** Returns all that files can set, without secrets. */
  private JsonObject managed(Webhook webhook) {
    return settings(webhook)
        .with("url", new JsonString(address(webhook)))
        .with(AGENT, WebhookJson.text(webhook.agent().map(agent -> slug(webhook.org(), agent))))
        .with(SECRET, WebhookJson.text(change.fingerprint(webhook)));
  }

  /** Returns what a file sets: only for the agent is null a value, and it may be new, too. */
  private JsonObject applied(Webhook webhook, JsonObject body) {
    JsonObject set =
        managed(webhook)
            .only(body.names().stream().filter(name -> body.present(name) != null).toList());
    return body.has(AGENT)
        ? set.with(
            AGENT,
            WebhookJson.text(
                body.string(AGENT)
                    .map(text ->
                        AgentId.hosted(text).map(id -> slug(webhook.org(), id)).orElse(text))))
        : set;
  }

  /** Returns the name of a passport in files. */
  private String slug(OrgId org, AgentId agent) {
    return passports.find(new Tenant.One(org), agent).flatMap(Passport::slug).orElse(agent.value());
  }

  /** Checks the members of a file without a server, and returns warnings for its author. */
  public static List<String> check(Members members) {
    if (!members.object().has("url") && !members.object().has(ID)) {
      throw members.missing("url");
    }
    // The environment gives these when the file is sent.
    JsonObject body = members.object();
    for (String name : List.of("url", SECRET)) {
      body = body.object(name).isPresent() ? body.without(name) : body;
    }
    return request(Members.of(body)).events().map(ChangeWebhook::warnings).orElse(List.of());
  }

  private static WebhookRequest request(Members members) {
    return WebhookRequest.read(
        Members.of(members.only(MEMBERS).object().without(AGENT).without(ID)));
  }

  @Override
  public List<ResourceChange> plan(Planning planning, List<Resource> resources) {
    if (resources.isEmpty()) {
      return List.of();
    }
    List<Webhook> present = webhooks.all(planning.org());
    var described = new ArrayList<Described>();
    var changes = new ArrayList<ResourceChange>();
    for (Resource resource : resources) {
      Described each = resource.located(() -> described(planning, present, resource));
      if (described.stream().anyMatch(each::repeats)) {
        throw ProblemException.invalid(
            resource.place() + ".url", "Two resources describe this URL for the same agent.");
      }
      described.add(each);
      ResourceChange change = resource.located(() -> change(planning, resource, each));
      if (change.action() != ResourceChange.Action.UNCHANGED) {
        planning.countChange();
      }
      changes.add(change);
    }
    return changes;
  }

  /**
   * What a resource describes.
   *
   * @param named whether the resource has the webhook's id
   */
  private record Described(
      WebhookRequest request,
      ReceiverUrl url,
      Optional<AgentId> agent,
      boolean named,
      Optional<Webhook> before) {
    /** Returns whether both become equal; those that are equal already can be told apart by id. */
    boolean repeats(Described other) {
      return url.text().equals(other.url.text())
          && agent.equals(other.agent)
          && ((!named && !other.named) || arrives() || other.arrives());
    }

    private boolean arrives() {
      return before.filter(webhook -> isFor(webhook, url, agent)).isEmpty();
    }
  }

  private static boolean isFor(Webhook webhook, ReceiverUrl url, Optional<AgentId> agent) {
    return webhook.url().text().equals(url.text()) && webhook.agent().equals(agent);
  }

  private Described described(Planning planning, List<Webhook> present, Resource resource) {
    Rights.demandDeploy(planning.origin().caller(), DeployRight.WEBHOOKS, "A webhook");
    Members members = resource.members();
    WebhookRequest request = request(members);
    Optional<AgentId> named = members.text(AGENT).map(slug -> agent(planning, members, slug));
    Optional<String> id = members.text(ID);
    Optional<Webhook> before =
        present.stream()
            .filter(webhook ->
                id.isPresent()
                    ? webhook.id().equals(id.get())
                    : request.url().filter(url -> isFor(webhook, url, named)).isPresent())
            .findFirst();
    if (id.isPresent() && before.isEmpty()) {
      throw members.fault(ID, ID + " is not a webhook of this organization.");
    }
    ReceiverUrl url =
        request
            .url()
            .or(() -> before.filter(_ -> id.isPresent()).map(Webhook::url))
            .orElseThrow(() -> members.missing("url"));
    request.url().ifPresent(destinations::demandOpenable);
    // Null is for all agents; a file that leaves the agent out does not change it.
    Optional<AgentId> agent = members.object().has(AGENT) ? named : before.flatMap(Webhook::agent);
    return new Described(request, url, agent, id.isPresent(), before);
  }

  private ResourceChange change(Planning planning, Resource resource, Described described) {
    WebhookRequest request = described.request();
    Optional<AgentId> agent = described.agent();
    return described.before().isPresent()
        ? updated(planning, described.before().get(), request, agent, resource.body())
        : created(planning, resource.members(), request, agent, resource.body());
  }

  private AgentId agent(Planning planning, Members members, String slug) {
    return Optional.ofNullable(planning.agents().get(slug))
        .or(() -> passports.bySlug(new Tenant.One(planning.org()), slug).map(Passport::agentId))
        .or(() ->
            AgentId.hosted(slug)
                .flatMap(id -> passports.find(new Tenant.One(planning.org()), id))
                .map(Passport::agentId))
        .orElseThrow(
            () -> members.fault(AGENT, AGENT + " is not a passport of this organization."));
  }

  private ResourceChange updated(
      Planning planning,
      Webhook before,
      WebhookRequest request,
      Optional<AgentId> agent,
      JsonObject body) {
    Webhook after = change.changed(before, request, agent);
    var target = target(before, body);
    String seen = Long.toString(before.revision());
    var differences = new ArrayList<>(Difference.between(settings(before), settings(after)));
    if (!before.url().text().equals(after.url().text())) {
      differences.add(
          new Difference("url", new JsonString(address(before)), new JsonString(address(after))));
    }
    if (!before.agent().equals(after.agent())) {
      differences.add(
          new Difference(
              AGENT,
              WebhookJson.text(before.agent().map(AgentId::value)),
              WebhookJson.text(after.agent().map(AgentId::value))));
    }
    if (!change.fingerprint(before).equals(change.fingerprint(after))) {
      differences.add(
          new Difference(
              SECRET, new JsonString("(before)"), new JsonString("(from the environment)")));
    }
    ResourceChange found =
        differences.isEmpty()
            ? ResourceChange.unchanged(target, seen)
            : ResourceChange.update(
                target,
                seen,
                differences,
                Webhooks.replacing(
                    after,
                    before.revision(),
                    change.record(planning.origin(), "updated", after, after.updatedAt())));
    return found.applying(applied(after, body), change.warnings(after, request.secret()));
  }

  private ResourceChange created(
      Planning planning,
      Members members,
      WebhookRequest request,
      Optional<AgentId> agent,
      JsonObject body) {
    if (request.secret().isEmpty()) {
      throw members.fault(
          SECRET, "secret is missing; a new webhook needs one: {from_env: NAME} in its file.");
    }
    Webhook webhook = change.drafted(planning.org(), request, agent).webhook();
    ResourceChange created =
        ResourceChange.create(
            target(webhook, body),
            settings(webhook).with("url", new JsonString(address(webhook))),
            List.of(),
            Webhooks.creating(
                webhook,
                change.record(planning.origin(), "created", webhook, webhook.createdAt())));
    return created.applying(applied(webhook, body), change.warnings(webhook, request.secret()));
  }

  private static ResourceChange.Target target(Webhook webhook, JsonObject body) {
    String name =
        origin(webhook, NAME_BYTES) + body.string(AGENT).map(slug -> "/" + slug).orElse("");
    return new ResourceChange.Target(KIND, webhook.id(), name);
  }

  /** Returns what tells the URL from every other one: no two have the same long digest. */
  private static String address(Webhook webhook) {
    return origin(webhook, ADDRESS_BYTES);
  }

  /** A URL may hold a token, so plans show its origin and a digest. */
  private static String origin(Webhook webhook, int bytes) {
    byte[] digest = Sha256.of(webhook.url().text().getBytes(StandardCharsets.UTF_8));
    return webhook.url().url().scheme()
        + "://"
        + webhook.url().authority()
        + "#"
        + HexFormat.of().formatHex(digest, 0, bytes);
  }

  @Override
  public Optional<ResourceChange> remove(Planning planning, ResourceChange.Target target) {
    return webhooks
        .find(new Tenant.One(planning.org()), target.object())
        .map(webhook -> {
          Rights.demandDeploy(
              planning.origin().caller(),
              DeployRight.WEBHOOKS,
              "Deleting the webhook " + target.name());
          return ResourceChange.delete(
              target,
              Long.toString(webhook.revision()),
              Webhooks.deleting(
                  webhook,
                  change.record(planning.origin(), "deleted", webhook, webhook.updatedAt())));
        });
  }
}
