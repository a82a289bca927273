package dev.safeconduct.passport;

import static dev.safeconduct.passport.Problems.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.passport.catalog.Content;
import dev.safeconduct.testkit.CaseFile;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class PassportShapeTest {
  private final PassportShape shape = new PassportShape(Catalogue.builtIn(), Optional.empty());

  @TestFactory
  Stream<DynamicTest> badMembersAreNamed() throws Exception {
    return cases("bad-members.json")
        .map(each ->
            DynamicTest.dynamicTest(
                each.string("field").orElseThrow() + " in " + each.object("body").orElseThrow(),
                () ->
                    Problems.invalid(
                        each.string("field").orElseThrow(),
                        () -> shape.read(each.object("body").orElseThrow()))));
  }

  @TestFactory
  Stream<DynamicTest> oddButGoodMembersAreKept() throws Exception {
    return cases("good-members.json")
        .map(each ->
            DynamicTest.dynamicTest(
                each.string("about").orElseThrow(),
                () -> {
                  Content content = shape.read(each.object("body").orElseThrow());
                  JsonObject.Builder stored = JsonObject.builder();
                  content.members().forEach(stored::put);
                  assertThat(stored.build()).isEqualTo(each.object("stored").orElseThrow());
                  assertThat(content.warnings())
                      .hasSameSizeAs(each.array("warnings").orElseThrow().elements());
                  each.array("warnings")
                      .orElseThrow()
                      .strings()
                      .forEach(part ->
                          assertThat(content.warnings())
                              .anyMatch(warning -> warning.contains(part)));
                }));
  }

  @Test
  void aMisspelledLimitIsAskedAbout() {
    assertThat(message("{'limits':{'data.file.read':{'alowed_paths':['/x']}}}"))
        .isEqualTo(
            "limits.data.file.read.alowed_paths is not a known limit"
                + " (did you mean allowed_paths?).");
  }

  @Test
  void unknownMembersAreIgnoredWithAWarning() {
    Content content =
        shape.read(json("{'permissions':['a'],'ide':'x','id':'x','version':'1.0.0'}"));
    assertThat(content.members()).isEmpty();
    assertThat(content.warnings())
        .containsExactly(
            "permissions is not known here and is ignored.",
            "ide is not known here and is ignored.");
  }

  @Test
  void aMisspelledMemberIsRefused() {
    assertThat(message("{'naem':'x'}")).isEqualTo("naem is not known here (did you mean name?).");
    assertThat(message("{'capability':[]}")).contains("did you mean capabilities?");
  }

  @Test
  void whatIsTooLargeIsRefused() {
    String long40 = "y".repeat(40_000);
    Problems.invalid("metadata", () -> shape.read(json("{'metadata':{'x':'" + long40 + "'}}")));
    Problems.fails(
        dev.safeconduct.error.Problem.InvalidRequest.class,
        () -> shape.read(json("{'ignored':'" + long40.repeat(4) + "'}")));
  }

  private String message(String body) {
    try {
      return shape.read(json(body)).toString();
    } catch (dev.safeconduct.error.ProblemException e) {
      return e.problem().message();
    }
  }

  private static Stream<JsonObject> cases(String name) {
    return CaseFile.object("passport/" + name).array("cases").orElseThrow().elements().stream()
        .map(JsonObject.class::cast);
  }
}
