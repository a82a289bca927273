package dev.safeconduct.testkit;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclaration;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * The rows of a table in a {@link CaseFile}: an object whose member has the test method's name and
 * is a list of rows, each a list with a value for every parameter.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(CaseSource.Rows.class)
public @interface CaseSource {
  /** The file's name. */
  String value();

  /** Reads the rows. */
  final class Rows implements ArgumentsProvider {
    @Override
    public Stream<? extends Arguments> provideArguments(
        ParameterDeclarations parameters, ExtensionContext test) {
      var method = test.getRequiredTestMethod();
      JsonArray rows =
          CaseFile.object(method.getAnnotation(CaseSource.class).value())
              .array(method.getName())
              .orElseThrow();
      return rows.elements().stream().map(row -> row((JsonArray) row, parameters.getAll()));
    }

    private static Arguments row(JsonArray row, List<ParameterDeclaration> parameters) {
      return Arguments.of(
          IntStream.range(0, parameters.size())
              .mapToObj(i -> value(row.get(i), parameters.get(i).getParameterType()))
              .toArray());
    }

    private static Object value(JsonValue value, Class<?> type) {
      return switch (value) {
        case JsonString(String text) when type == String.class -> text;
        case JsonBoolean truth when type == boolean.class -> truth.equals(JsonBoolean.TRUE);
        default -> value;
      };
    }
  }
}
