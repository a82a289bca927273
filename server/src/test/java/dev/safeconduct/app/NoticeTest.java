package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** {@code NOTICE} names the software in each jar that is shipped with its dependencies. */
final class NoticeTest {
  private static final Set<String> NOT_IN_THE_JAR = Set.of("test", "provided", "import");
  private static final String OURS = "dev.safeconduct";

  /** Our modules that are part of such a jar, with their parents, by artifact. */
  private static final Map<String, Path> MODULES =
      Map.of(
          "safeconduct", Path.of("server/pom.xml"),
          "safeconduct-gateway", Path.of("gateway/pom.xml"),
          "safeconduct-pkcs11", Path.of("pkcs11/pom.xml"),
          "safeconduct-client", Path.of("sdk/java/client/pom.xml"),
          "safeconduct-sdk", Path.of("sdk/java/pom.xml"),
          "safeconduct-parent", Path.of("pom.xml"));

  @ParameterizedTest
  @ValueSource(strings = {"safeconduct", "safeconduct-gateway", "safeconduct-pkcs11"})
  void everyDependencyInTheJarIsNamed(String artifact) throws Exception {
    List<String> lines = Files.readAllLines(Path.of("NOTICE"));
    var names = new TreeSet<String>();
    addDependencies(artifact, names);
    assertThat(names).allSatisfy(name -> assertThat(lines).contains("  " + name));
    assertThat(names.isEmpty()).isEqualTo(artifact.equals("safeconduct-pkcs11"));
  }

  /** A module that is shipped so and that this test does not know fails here. */
  @ParameterizedTest
  @ValueSource(strings = {"pom.xml", "sdk/java/pom.xml"})
  void everyModuleThatIsShaded(String parent) throws Exception {
    Path folder = Path.of(parent).toAbsolutePath().getParent();
    for (Element module : children(children(project(Path.of(parent)), "modules"), "module")) {
      Path pom = Path.of(String.valueOf(folder), module.getTextContent().strip(), "pom.xml");
      if (Files.readString(pom).contains("maven-shade-plugin")) {
        assertThat(MODULES).containsKey(text(project(pom), "artifactId"));
      }
    }
  }

  private static void addDependencies(String artifact, Set<String> names) throws Exception {
    Path pom = MODULES.get(artifact);
    assertThat(pom).as(artifact).isNotNull();
    Element project = project(pom);
    for (Element dependency : children(children(project, "dependencies"), "dependency")) {
      String group = text(dependency, "groupId");
      String name = text(dependency, "artifactId");
      if (NOT_IN_THE_JAR.contains(text(dependency, "scope"))) {
        continue;
      }
      if (group.equals(OURS)) {
        addDependencies(name, names);
      } else {
        names.add(group + ":" + name);
      }
    }
    for (Element parent : children(project, "parent")) {
      addDependencies(text(parent, "artifactId"), names);
    }
  }

  private static Element project(Path pom) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(pom.toFile())
        .getDocumentElement();
  }

  private static List<Element> children(Element parent, String name) {
    return children(List.of(parent), name);
  }

  private static List<Element> children(List<Element> parents, String name) {
    var found = new ArrayList<Element>();
    for (Element parent : parents) {
      for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
        if (node instanceof Element element && element.getTagName().equals(name)) {
          found.add(element);
        }
      }
    }
    return found;
  }

  private static String text(Element parent, String name) {
    List<Element> found = children(parent, name);
    return found.isEmpty() ? "" : found.getFirst().getTextContent().strip();
  }
}
