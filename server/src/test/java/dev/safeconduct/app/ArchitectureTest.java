package dev.safeconduct.app;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.safeconduct.config.DurableFile;
import dev.safeconduct.config.Env;
import dev.safeconduct.policy.expression.Budget;
import dev.safeconduct.text.Sha256;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Six layers without cycles, and one user for each library. CONTRIBUTING.md explains them. */
final class ArchitectureTest {
  private static final String HOME = "dev.safeconduct";
  private static final int MOST_PACKAGES = 52;

  /** The packages, top layer first. A layer imports itself and those below it. */
  private static final List<Set<String>> LAYERS =
      List.of(
          Set.of("", "app", "cli"),
          Set.of("console", "console.view", "site"),
          Set.of(
              "verify",
              "verify.token",
              "simulate",
              "simulate.suggest",
              "authzen",
              "hook",
              "mcp",
              "compat",
              "feed",
              "webhook",
              "webhook.delivery"),
          Set.of(
              "passport",
              "passport.catalog",
              "passport.template",
              "passport.issue",
              "approval",
              "policy",
              "policy.expression",
              "policy.schema",
              "policy.hosted",
              "policy.lint",
              "decision",
              "decision.shell",
              "decision.path",
              "decision.url",
              "decision.rules",
              "access",
              "access.people",
              "audit",
              "audit.stream",
              "audit.verify",
              "deploy"),
          Set.of("http", "http.server", "db", "ledger", "tlog", "signing", "mail", "telemetry"),
          Set.of("error", "config", "json", "text", "net", "identity"));

  private static final Set<String> USE_CASES = LAYERS.get(2);

  /** Put all others together. */
  private static final Set<String> WIRING = Set.of("", "app");

  /** Sub-packages that others than their parent's tree and the wiring use: why, and by whom. */
  private static final Map<String, Shared> SHARED =
      Map.ofEntries(
          Map.entry(
              "access.people",
              new Shared(
                  "who acts, and for which organization",
                  "approval audit authzen cli console deploy feed mcp passport verify webhook")),
          Map.entry("audit.verify", new Shared("commands check files offline", "cli")),
          Map.entry(
              "decision.rules", new Shared("commands need the names of the validators", "cli")),
          Map.entry(
              "decision.shell",
              new Shared("suggestions name the programs that a line starts", "simulate")),
          Map.entry(
              "decision.url",
              new Shared("addresses are read as rules read them", "hook passport webhook")),
          Map.entry(
              "passport.catalog",
              new Shared("suggestions follow the descriptions of limits", "simulate")),
          Map.entry(
              "passport.template",
              new Shared("a suggestion must not be wider than the passport", "simulate")),
          Map.entry(
              "policy.expression",
              new Shared(
                  "the engine evaluates what the reader compiled, within a budget",
                  "authzen decision simulate verify")),
          Map.entry(
              "policy.hosted",
              new Shared(
                  "stored packs are used like built-in ones",
                  "authzen console mcp simulate verify")),
          Map.entry(
              "policy.schema",
              new Shared(
                  "evaluators and redaction ask what a context declares",
                  "audit decision simulate verify")),
          Map.entry(
              "simulate.suggest", new Shared("commands read the log without a server", "cli")));

  private record Shared(String reason, String users) {
    boolean with(String feature) {
      return List.of(users.split(" ")).contains(feature);
    }
  }

  /** Endpoints, and what implements a port of http. */
  private static final Pattern SPEAKERS =
      Pattern.compile(
          ".*(Endpoint|Endpoints|Page|Authenticator)|access\\.(Credentials|RequestLimits)");

  /** Values of http that are no part of a request or an answer. */
  private static final Set<String> HTTP_VALUES =
      Set.of(HOME + ".http.EntityTag", HOME + ".http.HttpConfig", HOME + ".http.ListPage");

  static final JavaClasses CODE =
      new ClassFileImporter()
          .withImportOption(location -> !location.contains("/test-classes/"))
          .importPackages(HOME);

  @Test
  void thePackagesAreThoseListed() {
    Set<String> listed = LAYERS.stream().flatMap(Set::stream).collect(Collectors.toSet());
    Set<String> found = CODE.stream().map(ArchitectureTest::packageOf).collect(Collectors.toSet());
    assertThat(found).isEqualTo(listed).hasSizeLessThanOrEqualTo(MOST_PACKAGES);
  }

  @Test
  void aLayerImportsItselfAndLowerOnes() {
    var layers = new TreeMap<String, Integer>();
    for (int layer = 0; layer < LAYERS.size(); layer++) {
      for (String each : LAYERS.get(layer)) {
        layers.put(each, layer);
      }
    }
    demand(
        "import from their own layer and lower ones",
        (from, to) -> layers.getOrDefault(to, -1) >= layers.getOrDefault(from, 0));
  }

  @Test
  void packagesAreFreeOfCycles() {
    slices().assignedFrom(new ByPackage()).should().beFreeOfCycles().check(CODE);
  }

  @Test
  void useCasesAreStrangers() {
    demand(
        "not import other use cases",
        (from, to) ->
            !USE_CASES.contains(from)
                || !USE_CASES.contains(to)
                || feature(from).equals(feature(to))
                || feature(to).equals("verify")
                || (feature(from).equals("verify") && Set.of("compat", "feed").contains(to)));
  }

  @Test
  void subPackagesAreVisibleToTheirParentsTree() {
    demand(
        "not import sub-packages of other features",
        (from, to) ->
            !to.contains(".")
                || feature(from).equals(feature(to))
                || WIRING.contains(from)
                || (SHARED.containsKey(to) && SHARED.get(to).with(feature(from))));
  }

  @Test
  void eachLibraryHasOneUser() {
    onlyIn("db", "org.sqlite..", "org.flywaydb..");
    // Rates that nodes share have a pool of their own; the change feed listens to notifications.
    onlyIn("db access", "com.zaxxer..");
    onlyIn("db ledger", "org.postgresql..");
    onlyIn("json", "tools.jackson..");
    onlyIn("http.server", "org.eclipse.jetty..");
    onlyIn("telemetry", "io.opentelemetry..", "io.prometheus..", "ch.qos.logback..");
    onlyIn("signing", "com.amazon..", "org.bouncycastle..");
    onlyIn("nothing", "java.lang.foreign..");
    onlyIn("text", "gg.jte..");
    onlyIn("mail", "jakarta.mail..", "org.eclipse.angus..");
    onlyIn("access access.people", "com.nimbusds..");
    onlyIn("access.people", "com.webauthn4j..");
    onlyIn("access", "io.github.bucket4j..");
    onlyIn("webhook.delivery", "org.apache.hc..");
    onlyIn("cli access.people audit.stream", "java.net.http..");
    onlyIn("site", "org.commonmark..");
    onlyIn("config", "org.snakeyaml..");
    onlyIn(" cli", "picocli..");
  }

  /**
   * Storage uses {@code db} or takes part in a decision's transaction; no page or endpoint does.
   *
   * @return the names of the files' classes
   */
  private static Set<String> storage() {
    return CODE.stream()
        .filter(each -> !SPEAKERS.matcher(outermost(each)).matches())
        .filter(each ->
            each.getDirectDependenciesFromSelf().stream()
                .map(Dependency::getTargetClass)
                .anyMatch(to ->
                    packageOf(to).equals("db")
                        || to.getFullName().equals(HOME + ".ledger.LedgerStep")))
        .map(ArchitectureTest::outermost)
        .collect(Collectors.toSet());
  }

  @Test
  void onlyStorageSpeaksSql() {
    Set<String> storage = storage();
    noClasses()
        .that(areOutside("db ledger"))
        .and(describe("are no storage", each -> !storage.contains(outermost(each))))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "javax.sql..")
        .check(CODE);
  }

  @Test
  void decidingIsAFunction() {
    noClasses()
        .that()
        .resideInAnyPackage(
            HOME + ".decision..",
            HOME + ".policy.expression",
            HOME + ".policy.schema",
            HOME + ".text")
        .and()
        // A time budget reads the elapsed nanoseconds, never the hour.
        .doNotHaveFullyQualifiedName(Budget.class.getName())
        .and()
        .doNotHaveFullyQualifiedName(Sha256.class.getName())
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.io..",
            "java.nio.file..",
            "java.nio.channels..",
            "java.net..",
            "java.sql..",
            "java.security..",
            "org.slf4j..",
            HOME + ".http..")
        .orShould()
        .dependOnClassesThat(
            belongToAnyOf(
                java.time.Clock.class,
                java.time.InstantSource.class,
                java.util.random.RandomGenerator.class,
                java.util.Random.class,
                java.util.concurrent.ThreadLocalRandom.class,
                java.lang.System.class,
                java.lang.Thread.class))
        .orShould()
        .callMethodWhere(
            target(name("now"))
                .and(
                    target(
                        owner(
                            describe(
                                "of java.time", of -> of.getPackageName().equals("java.time"))))))
        .orShould()
        .callMethodWhere(target(name("random")).or(target(name("randomUUID"))))
        .because("time, randomness and facts come in with the request")
        .check(CODE);
  }

  /** What a key sealed must not outlive the key: a power cut loses what was not flushed. */
  @Test
  void keyFilesAreFlushedBeforeTheyAreUsed() {
    noClasses()
        .that()
        .resideInAnyPackage(HOME + ".signing..")
        .should()
        .callMethodWhere(
            target(owner(belongToAnyOf(Files.class, FileChannel.class)))
                .and(target(nameMatching("write.*|new(Out|Buf|Byte).*|copy|createFile|open"))))
        .check(CODE);
    assertThat(
            CODE.get(DurableFile.class).getMethodCallsFromSelf().stream()
                .filter(call -> call.getTarget().getFullName().contains("FileChannel.force(")))
        .as("the file and its folder")
        .hasSize(2);
  }

  @Test
  void onlyMainSeesTheEnvironment() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(Env.class.getName())
        .should()
        .callMethodWhere(target(owner(name("java.lang.System"))).and(target(name("getenv"))))
        .check(CODE);
  }

  @Test
  void onlyEndpointsSpeakHttp() {
    noClasses()
        .that(areOutside(" app http http.server"))
        .and(describe("are no endpoints", each -> !SPEAKERS.matcher(outermost(each)).matches()))
        .should()
        .dependOnClassesThat(
            describe(
                "are of http",
                each -> packageOf(each).equals("http") && !HTTP_VALUES.contains(each.getName())))
        .check(CODE);
  }

  /** Every import between two packages of ours must be allowed, or be tolerated. */
  private static void demand(String description, BiPredicate<String, String> allowed) {
    classes()
        .should(
            new ArchCondition<JavaClass>(description) {
              @Override
              public void check(JavaClass each, ConditionEvents events) {
                String from = packageOf(each);
                for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                  JavaClass other = dependency.getTargetClass().getBaseComponentType();
                  if (other.getPackageName().startsWith(HOME)
                      && !allowed.test(from, packageOf(other))) {
                    events.add(SimpleConditionEvent.violated(each, dependency.getDescription()));
                  }
                }
              }
            })
        .check(CODE);
  }

  private static void onlyIn(String users, String... libraries) {
    noClasses()
        .that(areOutside(users))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(libraries)
        .check(CODE);
  }

  private static DescribedPredicate<JavaClass> areOutside(String packages) {
    List<String> named = List.of(packages.split(" ", -1));
    return describe("are outside of " + packages, each -> !named.contains(packageOf(each)));
  }

  private static String packageOf(JavaClass each) {
    String name = each.getPackageName();
    return name.length() <= HOME.length() ? "" : name.substring(HOME.length() + 1);
  }

  private static String feature(String packageName) {
    return packageName.split("\\.", 2)[0];
  }

  /** The name of the file's class, without the home package. */
  private static String outermost(JavaClass each) {
    return each.getName().substring(HOME.length() + 1).split("\\$", 2)[0];
  }

  /** Each package for itself. */
  private static final class ByPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass each) {
      return SliceIdentifier.of(each.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }
}
