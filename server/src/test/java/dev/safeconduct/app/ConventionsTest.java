package dev.safeconduct.app;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Names, sizes and what every class keeps to. CONTRIBUTING.md gives the reasons. */
final class ConventionsTest {
  private static final int MOST_LINES = 500;
  private static final int MOST_PARAMETERS = 8;
  private static final Pattern CLASS_NAME = Pattern.compile("`(?:[a-z/]+/)?([A-Z][A-Za-z0-9]+)`");

  /** Names that the code has given up; docs/glossary.md has the field's words instead. */
  private static final Set<String> RETIRED =
      words(
          """
          Allowance Asking Carrier CarriageFault Condition DecisionStory Done DoorPage Effect Fence
          Forecast Foundation Gate Hesitation Inbox Judgement KeepDeliveries Kept KeptFeeds
          KeyStanding Knowledge Letter LetterWriter Letters Lineage Linger Looked Needles Outage
          Pace PackShelf Past Patience Postman Recount Rehearsal Room Rooms Row Several
          SeveralAnswers Shell SideBySide Slot SqlPast Surroundings Taken Tally TellReceivers
          Throttle Ticket Toll Trial Unknown Values Verdict Verified Weight WhoIsThis Work Wrong
          """);

  /** Packages that bear such a word in its common sense. */
  private static final Set<String> IN_ITS_COMMON_SENSE = Set.of("shell");

  /** Records of plain data, with a component for each column, member or setting. */
  private static final Map<String, Set<String>> WIDE_RECORDS =
      Map.of(
          "a row of the store",
          words(
              """
              ApiKey Approval AuditRecord Claim DecisionCounts.Alike ExportJob HostedPack Webhook
              """),
          "a document that was read",
          words("Field PolicyPack SchemaNode WebhookRequest"),
          "the settings",
          words("HttpConfig ServerConfig"),
          "what a template shows",
          words(
              """
              ApprovalsPage.Detail ClaimPage.Form DecisionView.View DecisionWords.Line
              KeysPage.Row TokensPage.Row WebhooksPage.Detail WebhooksPage.Hook DecisionView DecisionsPage.ListView
              PassportFormPage.Edit PlaygroundPage.RequestForm
              OverviewPage.Dashboard PassportsPage.Detail PassportsPage.ListView PassportsPage.Move
              PolicyView.PolicyPage WebhooksPage.Delivery
              """));

  @Test
  void namesNameAJob() {
    noClasses()
        .that()
        .areTopLevelClasses()
        .should()
        .haveNameMatching(
            ".*(Manager|Helper|Util|Utils|Impl|Processor|Common|Base|Service|DTO|Dto)")
        .check(ArchitectureTest.CODE);
  }

  @Test
  void namesAreOfTheField() {
    noClasses()
        .should(be(describe("named by a retired word", ConventionsTest::isRetired)))
        .check(ArchitectureTest.CODE);
  }

  private static boolean isRetired(JavaClass each) {
    return (RETIRED.contains(each.getSimpleName())
            // A row of a table is one.
            && !(each.getSimpleName().equals("Row") && each.isNestedClass()))
        || Stream.of(each.getPackageName().split("\\."))
            .filter(segment -> !IN_ITS_COMMON_SENSE.contains(segment))
            .anyMatch(segment -> RETIRED.stream().anyMatch(word -> word.equalsIgnoreCase(segment)));
  }

  @Test
  void aNameIsGivenOnce() {
    var places = new TreeMap<String, Set<String>>();
    for (JavaClass each : ArchitectureTest.CODE) {
      if (each.isTopLevelClass() && !each.getSimpleName().equals("package-info")) {
        places.computeIfAbsent(each.getSimpleName(), _ -> new TreeSet<>()).add(each.getName());
      }
    }
    places.values().removeIf(names -> names.size() == 1);
    assertThat(places).isEmpty();
  }

  @Test
  void parametersAreFew() {
    noCodeUnits()
        .that(describe("make an object", ConventionsTest::makes))
        .should(
            have(
                describe(
                    "more than " + MOST_PARAMETERS + " parameters",
                    (JavaCodeUnit each) -> each.getRawParameterTypes().size() > MOST_PARAMETERS)))
        .check(ArchitectureTest.CODE);
  }

  private static boolean makes(JavaCodeUnit each) {
    JavaClass owner = each.getOwner();
    if (owner.isEnum()
        || WIDE_RECORDS.values().stream().anyMatch(names -> names.contains(name(owner)))) {
      return false;
    }
    return each instanceof JavaConstructor
        || (each instanceof JavaMethod method
            && method.getModifiers().contains(JavaModifier.STATIC)
            && !method.getModifiers().contains(JavaModifier.SYNTHETIC)
            && method.getRawReturnType().equals(owner));
  }

  @Test
  void nothingStaticChanges() {
    fields().that().areStatic().should().beFinal().check(ArchitectureTest.CODE);
  }

  @Test
  void everyPackageIsMarkedNullSafe() {
    for (JavaClass each : ArchitectureTest.CODE) {
      JavaPackage home = each.getPackage();
      assertThat(home.tryGetPackageInfo().map(info -> info.isAnnotatedWith(NullMarked.class)))
          .as(home.getName())
          .contains(true);
    }
  }

  @Test
  void filesStaySmall() throws IOException {
    var tooLong = new TreeMap<String, Long>();
    for (String root : List.of("server", "sdk", "gateway", "bench", "e2e", "examples")) {
      if (!Files.isDirectory(Path.of(root))) {
        continue;
      }
      try (Stream<Path> files = Files.walk(Path.of(root))) {
        for (Path file : files.filter(ConventionsTest::isSource).toList()) {
          try (Stream<String> lines = Files.lines(file)) {
            long count = lines.count();
            if (count > MOST_LINES) {
              tooLong.put(file.toString(), count);
            }
          }
        }
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void contributingNamesClassesThatExist() throws IOException {
    Set<String> classes =
        ArchitectureTest.CODE.stream().map(JavaClass::getSimpleName).collect(Collectors.toSet());
    var missing = new TreeSet<String>();
    for (String section : Files.readString(Path.of("CONTRIBUTING.md")).split("\n## ", -1)) {
      Set<String> named = classesNamed(section);
      if (section.contains("from socket to disk")) {
        // What stands in parentheses takes the place of the file before it.
        assertThat(classesNamed(section.replaceAll("\\(or [^)]*\\)", "")))
            .as("files of a walk")
            .hasSizeBetween(20, 60);
      }
      if (section.contains("from socket to disk") || section.startsWith("I want to change")) {
        named.stream().filter(name -> !classes.contains(name)).forEach(missing::add);
      }
    }
    assertThat(missing).isEmpty();
  }

  /** The names of classes between backticks, with or without a package before them. */
  private static Set<String> classesNamed(String section) {
    return CLASS_NAME
        .matcher(section)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The class as its file would write it outside: nested ones behind their owner's name. */
  private static String name(JavaClass each) {
    return each.getName().substring(each.getPackageName().length() + 1).replace('$', '.');
  }

  private static boolean isSource(Path file) {
    return file.toString().endsWith(".java") && !file.toString().contains("/target/");
  }

  private static Set<String> words(String text) {
    return Stream.of(text.strip().split("\\s+")).collect(Collectors.toUnmodifiableSet());
  }
}
