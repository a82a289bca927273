package dev.safeconduct.policy.expression;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import dev.safeconduct.testkit.CaseFile;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.EcmaError;
import org.mozilla.javascript.JavaScriptException;
import org.mozilla.javascript.NativeArray;
import org.mozilla.javascript.NativeObject;
import org.mozilla.javascript.ScriptableObject;
import org.mozilla.javascript.Undefined;

/** The oracle: Rhino, made as strict as the language of the rules by {@code ecmascript.js}. */
final class EcmaScript implements AutoCloseable {
  private final Context context = Context.enter();
  private final ScriptableObject global;

  EcmaScript() {
    context.setLanguageVersion(Context.VERSION_ECMASCRIPT);
    context.setInterpretedMode(true);
    global = context.initStandardObjects();
    context.evaluateString(
        global, CaseFile.text("expression/ecmascript.js"), "ecmascript.js", 1, null);
  }

  void bind(String root, JsonObject value) {
    ScriptableObject.putProperty(global, "text", value.toString());
    context.evaluateString(global, root + " = JSON.parse(text)", root, 1, null);
  }

  /** The value, as {@link #same} understands it; empty when ECMAScript throws a TypeError. */
  Answer evaluate(String source) {
    try {
      return new Answer.Value(context.evaluateString(global, source, "expression", 1, null));
    } catch (JavaScriptException e) {
      return new Answer.TypeError();
    } catch (EcmaError e) {
      if (e.getName().equals("TypeError")) {
        return new Answer.TypeError();
      }
      throw e;
    }
  }

  sealed interface Answer {
    record Value(@Nullable Object value) implements Answer {}

    record TypeError() implements Answer {}
  }

  /** Whether one of our values is the same as one of Rhino's. */
  static boolean same(@Nullable JsonValue ours, @Nullable Object theirs) {
    return switch (ours) {
      case null -> Undefined.isUndefined(theirs);
      case JsonNull _ -> theirs == null;
      case JsonBoolean truth -> theirs instanceof Boolean b && b == truth.value();
      case JsonOverflow _ -> false; // ECMAScript has an infinity in its place
      case JsonNumber n -> theirs instanceof Number m && n.value() == m.doubleValue();
      case JsonString s -> theirs instanceof CharSequence t && s.value().contentEquals(t);
      case JsonArray array ->
          theirs instanceof NativeArray list
              && array.size() == list.getLength()
              && IntStream.range(0, array.size())
                  .allMatch(i -> same(Elements.at(array, i), list.get(i, list)));
      case JsonObject object ->
          theirs instanceof NativeObject other
              && List.copyOf(object.names()).equals(List.of(other.getIds()))
              && object.names().stream()
                  .allMatch(name -> same(object.get(name), other.get(name, other)));
    };
  }

  @Override
  public void close() {
    Context.exit();
  }
}
