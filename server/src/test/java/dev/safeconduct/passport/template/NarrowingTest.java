package dev.safeconduct.passport.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.error.Problem;
import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.passport.PassportDocument;
import dev.safeconduct.passport.PassportShape;
import dev.safeconduct.passport.catalog.Catalogue;
import dev.safeconduct.testkit.CaseFile;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What an instance may ask of its template, and which member is named when it asks too much. */
final class NarrowingTest {
  private static final Catalogue CATALOGUE = Catalogue.builtIn();
  private final PassportShape shape = new PassportShape(CATALOGUE, Optional.empty());
  private final Narrowing narrowing = new Narrowing(CATALOGUE);

  @TestFactory
  List<DynamicTest> cases() {
    return CaseFile.tests(
        "passport/narrowing.json", one -> one.string("about").orElseThrow(), this::run);
  }

  private void run(JsonObject one) {
    JsonObject template = one.object("template").orElseThrow();
    JsonObject ask = one.object("ask").orElseThrow();
    Optional<JsonObject> becomes = one.object("becomes");
    if (becomes.isPresent()) {
      JsonObject instance =
          PassportDocument.apply(template, narrowing.of(template, shape.read(ask)));
      becomes.get().forEach((name, value) -> assertThat(instance.get(name)).isEqualTo(value));
      // What it may be, it may be again: its own limits are no wider than themselves.
      JsonObject again = PassportDocument.apply(template, narrowing.of(instance, shape.read(ask)));
      becomes.get().forEach((name, value) -> assertThat(again.get(name)).isEqualTo(value));
    } else {
      assertThatThrownBy(() -> narrowing.of(template, shape.read(ask)))
          .isInstanceOfSatisfying(
              ProblemException.class,
              e ->
                  assertThat(e.problem())
                      .isInstanceOfSatisfying(
                          Problem.InvalidRequest.class,
                          problem -> {
                            assertThat(problem.field()).isEqualTo(one.string("field"));
                            assertThat(problem.message()).contains(problem.field().orElse(""));
                          }));
    }
  }
}
