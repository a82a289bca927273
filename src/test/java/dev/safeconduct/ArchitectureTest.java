package dev.safeconduct;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.safeconduct.access.Credentials;
import dev.safeconduct.access.RequestLimits;
import dev.safeconduct.policy.expression.Expression;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The rooms keep their order, and each keeps to its job. CONTRIBUTING.md explains the table. */
final class ArchitectureTest {
  private static final String HOME = "dev.safeconduct";
  private static final int MOST_LINES = 300;

  /** Bottom first: a room imports only from rows above its own; those of a row are strangers. */
  private static final List<Set<String>> ROOMS =
      List.of(
          Set.of("problem", "background", "digest", "text"),
          Set.of("config", "json", "audit.tlog", "signing.pkcs11"),
          Set.of("identity", "trace", "http2"),
          Set.of("http"),
          Set.of("page"),
          Set.of("audit", "signing", "mail"),
          Set.of("access", "usage", "tally"),
          Set.of("people", "reservation"),
          Set.of("passport", "approval", "signing.rotation", "retention"),
          Set.of("policy.expression", "policy.schema"),
          Set.of("policy"),
          Set.of("policy.hosted"),
          Set.of("decision.facts"),
          Set.of("decision.path"),
          Set.of(
              "decision.shell",
              "decision.url",
              "decision.message",
              "decision.code",
              "decision.data",
              "decision.money",
              "decision.task",
              "decision.agent"),
          Set.of("decision", "compat", "feed"),
          Set.of("shadow", "cases"),
          Set.of(
              "verify",
              "revocation",
              "discovery",
              "documentation",
              "issuance",
              "webhook",
              "replay"),
          Set.of("authzen"),
          Set.of("console"),
          Set.of("store"),
          Set.of(""));

  private static final JavaClasses CODE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(HOME);

  @Test
  void roomsImportOnlyFromRowsAboveTheirs() {
    Map<String, Integer> rows = new HashMap<>();
    for (int row = 0; row < ROOMS.size(); row++) {
      for (String room : ROOMS.get(row)) {
        rows.put(room, row);
      }
    }
    assertThat(CODE.stream().map(ArchitectureTest::room).collect(Collectors.toSet()))
        .as("the rooms in the code and those in the table")
        .isEqualTo(rows.keySet());
    classes()
        .should(
            new ArchCondition<JavaClass>("import only from rooms above their own") {
              @Override
              public void check(JavaClass each, ConditionEvents events) {
                for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                  JavaClass other = dependency.getTargetClass().getBaseComponentType();
                  if (other.getPackageName().startsWith(HOME)
                      && !room(other).equals(room(each))
                      && rows.getOrDefault(room(other), Integer.MAX_VALUE)
                          >= rows.getOrDefault(room(each), -1)) {
                    events.add(SimpleConditionEvent.violated(each, dependency.getDescription()));
                  }
                }
              }
            })
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
        // Its time budget reads the elapsed nanoseconds, never the hour.
        .doNotHaveFullyQualifiedName(Expression.class.getName())
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

  @Test
  void eachLibraryHasOneUser() {
    onlyIn(".store", "java.sql..", "javax.sql..", "org.sqlite..", "com.zaxxer..", "org.flywaydb..");
    onlyIn(".store", "org.postgresql..");
    onlyIn(".json", "tools.jackson..");
    onlyIn(".http", "io.helidon..", "io.micrometer..");
    onlyIn(".trace", "io.opentelemetry..");
    onlyIn(".signing", "com.amazon..", "org.bouncycastle..");
    onlyIn(".signing.pkcs11", "java.lang.foreign..");
    onlyIn(".page", "gg.jte..");
    onlyIn(".mail", "jakarta.mail..", "org.eclipse.angus..");
    onlyIn(".access", "com.nimbusds..");
    // The store counts with other nodes what access counts on this one.
    noClasses()
        .that()
        .resideOutsideOfPackages(HOME + ".access", HOME + ".store")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.github.bucket4j..")
        .check(CODE);
    // HPACK is of the same project as the client that webhooks go out by.
    noClasses()
        .that()
        .resideOutsideOfPackages(HOME + ".webhook", HOME + ".http2")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.hc..")
        .check(CODE);
    onlyIn("", "picocli..");
    onlyIn(".config", "org.snakeyaml..");
  }

  private static void onlyIn(String room, String... packages) {
    noClasses()
        .that()
        .resideOutsideOfPackage(HOME + room)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages)
        .check(CODE);
  }

  @Test
  void onlyMainSeesTheEnvironment() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(Main.class.getName())
        .should()
        .callMethodWhere(target(owner(name("java.lang.System"))).and(target(name("getenv"))))
        .check(CODE);
  }

  @Test
  void onlyEndpointsSpeakHttp() {
    noClasses()
        .that()
        .resideOutsideOfPackage(HOME + ".http")
        .and(describe("are no endpoints", each -> !speaksHttp(outermost(each))))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(HOME + ".http")
        .check(CODE);
  }

  private static boolean speaksHttp(String outermost) {
    return outermost.matches(".*(Endpoint|Endpoints|Page|Authenticator)")
        // These implement the ports Authenticator and Throttle; the root starts the server.
        || outermost.equals(Credentials.class.getName())
        || outermost.equals(RequestLimits.class.getName())
        || outermost.matches(HOME.replace(".", "\\.") + "\\.[A-Za-z]+");
  }

  @Test
  void namesNameAJob() {
    classes()
        .that()
        .areTopLevelClasses()
        .and()
        .doNotHaveFullyQualifiedName(Service.class.getName())
        .should()
        .haveNameNotMatching(
            ".*(Manager|Helper|Util|Utils|Impl|Processor|Common|Base|Service|DTO|Dto)")
        .check(CODE);
  }

  @Test
  void nothingStaticChanges() {
    fields().that().areStatic().should().beFinal().check(CODE);
  }

  @Test
  void everyPackageIsMarkedNullSafe() {
    for (JavaClass each : CODE) {
      JavaPackage room = each.getPackage();
      assertThat(room.tryGetPackageInfo().map(info -> info.isAnnotatedWith(NullMarked.class)))
          .as(room.getName())
          .contains(true);
    }
  }

  @Test
  void filesStaySmall() throws IOException {
    var tooLong = new TreeMap<String, Long>();
    for (String root : List.of("src", "bench", "e2e", "examples")) {
      if (Files.isDirectory(Path.of(root))) {
        try (Stream<Path> files = Files.walk(Path.of(root))) {
          for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
            try (Stream<String> lines = Files.lines(file)) {
              long count = lines.count();
              if (count > MOST_LINES) {
                tooLong.put(file.toString(), count);
              }
            }
          }
        }
      }
    }
    assertThat(tooLong).isEmpty();
  }

  private static String room(JavaClass each) {
    String name = each.getPackageName();
    return name.equals(HOME) ? "" : name.substring(HOME.length() + 1);
  }

  private static String outermost(JavaClass each) {
    int dollar = each.getName().indexOf('$');
    return dollar < 0 ? each.getName() : each.getName().substring(0, dollar);
  }
}
