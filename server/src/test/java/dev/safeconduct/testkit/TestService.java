package dev.safeconduct.testkit;

import dev.safeconduct.app.Application;
import dev.safeconduct.app.FirstRun;
import dev.safeconduct.app.ServerConfig;
import dev.safeconduct.config.Env;
import dev.safeconduct.http.Route;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.signing.WrongMasterKeyException;
import dev.safeconduct.webhook.delivery.WebhookDependencies;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The real service on a free port of the loopback address, as production wires it, with a store of
 * its own. It stands in this package because {@link Application} is nobody else's business.
 *
 * <p>Under {@code make attack} it is the packaged service in a process of its own, unless a test
 * needs what only classes have: the parts of webhooks replaced, the table of routes, or a moved
 * clock beside PostgreSQL, whose own clock a node compares with its.
 *
 * <p>Wrong credentials and public reads are not limited unless a test sets {@code
 * RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE} or {@code RATE_PUBLIC_PER_ADDRESS_PER_MINUTE}: all tests
 * share one address.
 */
public final class TestService implements AutoCloseable {
  /** The admin token, sent as {@code Authorization: Bearer}. */
  public static final String ADMIN_TOKEN = "the-admin-token-of-the-tests-only";

  /** The operator's address. */
  public static final String OPERATOR = "operator@example.com";

  /** The password of everybody in the tests. */
  public static final String PASSWORD = "correct horse battery";

  /** Let go of at the end: test classes keep their TestService, and a stopped server is large. */
  private @Nullable Application running;

  /** In place of it. */
  private @Nullable ServerProcess process;

  private final Path dataDir;
  private final boolean ownFolder;
  private final HttpClient client;
  private final URI base;

  private TestService(int port, Path dataDir, boolean ownFolder, Optional<Path> certificate) {
    this.dataDir = dataDir;
    this.ownFolder = ownFolder;
    String origin = certificate.isPresent() ? "https://localhost:" : "http://127.0.0.1:";
    this.base = URI.create(origin + port + "/");
    HttpClient.Builder calls =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10));
    certificate.ifPresent(file -> calls.sslContext(TlsFiles.trusting(file)));
    this.client = calls.build();
  }

  /** Starts with a new data folder, deleted at the end. */
  public static TestService start() {
    return start(Map.of());
  }

  /** Starts with a new data folder and these settings laid over the usual ones. */
  public static TestService start(Map<String, String> settings) {
    try {
      return start(
          Files.createTempDirectory("safeconduct-test-"),
          settings,
          Optional.empty(),
          true,
          InstantSource.system());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts with a new data folder and a clock of the test's own. */
  public static TestService start(Map<String, String> settings, InstantSource clock) {
    try {
      return start(
          Files.createTempDirectory("safeconduct-test-"), settings, Optional.empty(), true, clock);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts on a data folder that outlives it, to be started on again. */
  public static TestService start(Path dataDir, Map<String, String> settings) {
    return start(dataDir, settings, Optional.empty(), false, InstantSource.system());
  }

  /** Starts where webhooks have these dependencies. */
  public static TestService start(
      Path dataDir, Map<String, String> settings, WebhookDependencies dependencies) {
    return start(dataDir, settings, Optional.of(dependencies), false, InstantSource.system());
  }

  /** Starts on a data folder that outlives it, with a clock of the test's own. */
  public static TestService start(Path dataDir, Map<String, String> settings, InstantSource clock) {
    return start(dataDir, settings, Optional.empty(), false, clock);
  }

  private static TestService start(
      Path dataDir,
      Map<String, String> settings,
      Optional<WebhookDependencies> dependencies,
      boolean ownFolder,
      InstantSource clock) {
    var environment = new HashMap<String, String>();
    environment.put("PORT", "0");
    environment.put("DRAIN_SECONDS", "0");
    environment.put("DATA_DIR", dataDir.toString());
    environment.put("ADMIN_TOKEN", ADMIN_TOKEN);
    environment.put("RATE_FAILED_AUTH_PER_ADDRESS_PER_MINUTE", "0");
    environment.put("RATE_PUBLIC_PER_ADDRESS_PER_MINUTE", "0");
    environment.putAll(settings);
    Optional<Path> certificate = Optional.ofNullable(environment.get("TLS_CERT")).map(Path::of);
    try {
      Letters.folder(dataDir.resolve("outbox"));
      if (ServerProcess.isPackaged() && dependencies.isEmpty() && mayHave(clock, environment)) {
        if (clock instanceof MovableClock moved) {
          environment.putAll(moved.environment());
        }
        var process = new ServerProcess(dataDir, environment);
        process.awaitAnswering();
        process.readOn();
        var service = new TestService(process.port(), dataDir, ownFolder, certificate);
        service.process = process;
        return service;
      }
      Application application =
          Application.start(
              ServerConfig.from(new Env(environment)),
              clock,
              dependencies.orElseGet(() -> WebhookDependencies.ofMachine(new SecureRandom())));
      var service = new TestService(application.port(), dataDir, ownFolder, certificate);
      service.running = application;
      return service;
    } catch (IOException | WrongMasterKeyException e) {
      throw new AssertionError("the service does not start: " + e.getMessage(), e);
    }
  }

  /** Whether a process can have the clock. */
  private static boolean mayHave(InstantSource clock, Map<String, String> settings) {
    return clock instanceof MovableClock
        ? !settings.containsKey("DATABASE_URL")
        : clock.equals(InstantSource.system());
  }

  /** Where it answers; ends in a slash. */
  public URI base() {
    return process == null ? base : ServerProcess.used(base);
  }

  /** The CPU time that its process has had; within a test that is the test's too. */
  public Duration cpu() {
    ProcessHandle handle = process == null ? ProcessHandle.current() : process.handle();
    return handle.info().totalCpuDuration().orElseThrow();
  }

  /** The table of everything it serves. */
  public List<Route> routes() {
    return service().routes();
  }

  /** The first organization's id; only at the first start on a folder. */
  public String org() {
    return process == null
        ? made().organization().id().value()
        : shownOnce("organization +(org_[0-9a-f]+)");
  }

  /** The first organization's key with all scopes; only at the first start on a folder. */
  public String key() {
    return process == null ? made().key().text() : shownOnce("API key +(sck_\\w+)");
  }

  /** Calls without a credential. */
  public Calls nobody() {
    return process == null ? new Calls(client, base) : ServerProcess.callsTo(client, base);
  }

  /** Calls with the first organization's key of all scopes. */
  public Calls owner() {
    return withKey(key());
  }

  /** Calls with the admin token. */
  public Calls admin() {
    return nobody().with("Authorization", "Bearer " + ADMIN_TOKEN);
  }

  /** Calls with the API key. */
  public Calls withKey(String key) {
    return nobody().with("X-API-Key", key);
  }

  /** The path of the link by which the first owner sets a password. */
  public String ownerLink() {
    return process == null
        ? URI.create(service().firstRun().ownerLink().orElseThrow().reveal()).getPath()
        : shownOnce("password: [a-z]+://[^/]+(/\\S+)");
  }

  /** Whether this start made the first owner. */
  public boolean firstOwnerIsMade() {
    return process == null
        ? service().firstRun().ownerLink().isPresent()
        : firstRunFile().contains("Set the owner's password");
  }

  /** Has the first owner, who is an operator, set a password and sign in. */
  public Calls operator() {
    setPassword(ownerLink(), OPERATOR);
    return signedIn(OPERATOR);
  }

  /** Sets the tests' password by a link; the address where the page asks for one. */
  public void setPassword(String link, String email) {
    Reply page = nobody().get(link);
    Reply set = Pages.submit(nobody(), link, page, Map.of("password", PASSWORD, "email", email));
    if (set.status() != 303) {
      throw new AssertionError("no password was set: " + set);
    }
  }

  /** Asks for a session with {@link #PASSWORD}. */
  public Reply login(String email) {
    return nobody()
        .post(
            "/api/auth/login",
            JsonObject.builder().put("email", email).put("password", PASSWORD).build());
  }

  /** Calls of a person's browser, as our own pages make them. */
  public Calls signedIn(String email) {
    Reply reply = login(email);
    if (reply.status() != 200) {
      throw new AssertionError("not signed in: " + reply);
    }
    return nobody()
        .with("Cookie", Pages.cookies(reply))
        .with("Sec-Fetch-Site", "same-origin")
        .with("X-CSRF-Token", reply.string("csrf_token"));
  }

  /** Has somebody join an organization, set a password and sign in. */
  public Calls member(String org, String email, String role) {
    Reply added =
        admin()
            .post(
                "/api/orgs/" + org + "/members",
                "{\"email\": \"" + email + "\", \"role\": \"" + role + "\"}");
    if (added.status() != 201) {
      throw new AssertionError("not added: " + added);
    }
    setPassword(letters().link(email, "/password/"), email);
    return signedIn(email);
  }

  /** The letters that have been sent. */
  public Letters letters() {
    return new Letters(dataDir.resolve("outbox"));
  }

  private FirstRun.Made made() {
    Optional<FirstRun.Made> made = service().firstRun().made();
    return made.orElseThrow(() -> new AssertionError("this was not the folder's first start"));
  }

  /** What the file of the first start shows. */
  private String shownOnce(String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(firstRunFile());
    if (!found.find()) {
      throw new AssertionError("this was not the folder's first start");
    }
    return found.group(1);
  }

  private String firstRunFile() {
    Path file = dataDir.resolve("first-run.txt");
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Application service() {
    return Objects.requireNonNull(running, "closed");
  }

  /** Stops the service as a signal would: running requests may end. */
  public void stop() {
    ServerProcess stopping = process;
    if (stopping == null) {
      service().close();
    } else {
      stopping.stop();
    }
  }

  @Override
  public void close() {
    client.close();
    Application ending = running;
    running = null;
    if (ending != null) {
      ending.close();
    }
    ServerProcess stopping = process;
    if (stopping != null && ownFolder) {
      stopping.kill(); // nobody needs what it leaves
    } else if (stopping != null) {
      stopping.stop();
    }
    if (ownFolder) {
      delete(dataDir);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
