package dev.safeconduct.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** {@code NOTICE} names the software in the jar. */
final class NoticeTest {
  private static final Set<String> NOT_IN_THE_JAR = Set.of("test", "provided", "import");

  @Test
  void everyDependencyInTheJarIsNamed() throws Exception {
    List<String> lines = Files.readAllLines(Path.of("NOTICE"));
    assertThat(dependencies())
        .isNotEmpty()
        .allSatisfy(name -> assertThat(lines).contains("  " + name));
  }

  private static List<String> dependencies() throws Exception {
    Document pom =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(Path.of("server/pom.xml").toFile());
    NodeList all = pom.getElementsByTagName("dependency");
    var names = new ArrayList<String>();
    for (int i = 0; i < all.getLength(); i++) {
      var dependency = (Element) all.item(i);
      if (!NOT_IN_THE_JAR.contains(text(dependency, "scope"))) {
        names.add(text(dependency, "groupId") + ":" + text(dependency, "artifactId"));
      }
    }
    return names;
  }

  private static String text(Element parent, String name) {
    NodeList found = parent.getElementsByTagName(name);
    return found.getLength() == 0 ? "" : found.item(0).getTextContent().strip();
  }
}
