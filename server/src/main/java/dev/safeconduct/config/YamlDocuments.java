package dev.safeconduct.config;

import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonBoolean;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonNull;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonOverflow;
import dev.safeconduct.json.JsonString;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** Reads and writes JSON values as YAML 1.2 (core schema), with the bounds of our JSON. */
public final class YamlDocuments {
  private static final int MOST_CHARACTERS = 4 << 20;

  /** An alias repeats its anchor's values; this bounds all of a text's documents together. */
  private static final int MOST_VALUES = 50_000;

  private static final int MOST_DEPTH = 32;

  private static final LoadSettings LOADING =
      LoadSettings.builder()
          .setSchema(new CoreSchema())
          .setAllowDuplicateKeys(false)
          .setAllowRecursiveKeys(false)
          .setMaxAliasesForCollections(50)
          .setCodePointLimit(MOST_CHARACTERS)
          .build();

  private static final DumpSettings DUMPING =
      DumpSettings.builder()
          .setSchema(new CoreSchema())
          .setDefaultFlowStyle(FlowStyle.BLOCK)
          .setIndicatorIndent(2)
          .setIndentWithIndicator(true)
          .setWidth(100)
          .build();

  private int values;

  private YamlDocuments() {}

  /**
   * A document of a file.
   *
   * @param line where it begins, from 1
   */
  public record Document(int line, JsonValue value) {}

  /**
   * Returns the documents of a text.
   *
   * @throws JsonFault naming the line; never with a value, which may be a secret
   */
  public static List<Document> read(String text) throws JsonFault {
    try {
      List<Integer> lines = lines(text);
      var documents = new ArrayList<Document>();
      var reader = new YamlDocuments();
      for (Object each : new Load(LOADING).loadAllFromString(text)) {
        int line = lines.get(Math.min(documents.size(), lines.size() - 1));
        documents.add(new Document(line, reader.json(each, "", 0)));
      }
      return documents;
    } catch (MarkedYamlEngineException e) {
      // The library's message quotes the line, which may hold a secret.
      String line =
          e.getProblemMark().map(mark -> "line " + (mark.getLine() + 1) + ": ").orElse("");
      throw new JsonFault(line + "not YAML: " + e.getProblem());
    } catch (YamlEngineException e) {
      throw new JsonFault("not YAML, too long, or with too many aliases");
    }
  }

  /** Returns the first line of each document; nesting is bounded before anything is built. */
  private static List<Integer> lines(String text) throws JsonFault {
    var lines = new ArrayList<Integer>();
    int depth = 0;
    for (Event event : new Parse(LOADING).parseString(text)) {
      int line = event.getStartMark().map(Mark::getLine).orElse(0) + 1;
      if (event instanceof DocumentStartEvent) {
        lines.add(line);
      } else if (event instanceof CollectionStartEvent && ++depth > MOST_DEPTH) {
        throw new JsonFault("line " + line + ": nested deeper than " + MOST_DEPTH);
      } else if (event instanceof CollectionEndEvent) {
        depth--;
      }
    }
    return lines.isEmpty() ? List.of(1) : lines;
  }

  private JsonValue json(@Nullable Object value, String path, int depth) throws JsonFault {
    if (++values > MOST_VALUES || depth > MOST_DEPTH) {
      throw new JsonFault("more than 50,000 values, or nested deeper than " + MOST_DEPTH);
    }
    return switch (value) {
      case null -> JsonNull.NULL;
      case String text -> new JsonString(text);
      case Boolean flag -> JsonBoolean.of(flag);
      case Number number when Double.isFinite(number.doubleValue()) ->
          new JsonNumber(number.doubleValue());
      case Map<?, ?> members -> object(members, path, depth);
      case List<?> elements -> {
        var list = new ArrayList<JsonValue>();
        for (Object each : elements) {
          list.add(json(each, path + "[" + list.size() + "]", depth + 1));
        }
        yield new JsonArray(list);
      }
      default -> throw new JsonFault(shown(path) + " has no equivalent in JSON");
    };
  }

  private JsonObject object(Map<?, ?> members, String path, int depth) throws JsonFault {
    JsonObject.Builder object = JsonObject.builder();
    for (Map.Entry<?, ?> member : members.entrySet()) {
      if (!(member.getKey() instanceof String name)) {
        throw new JsonFault("a name in " + shown(path) + " is not text; put it in quotes");
      }
      object.put(
          name, json(member.getValue(), path.isEmpty() ? name : path + "." + name, depth + 1));
    }
    return object.build();
  }

  private static String shown(String path) {
    return path.isEmpty() ? "the document" : path;
  }

  /** Returns the value as one YAML document. */
  public static String text(JsonValue value) {
    return new Dump(DUMPING).dumpToString(plain(value));
  }

  private static @Nullable Object plain(JsonValue value) {
    return switch (value) {
      case JsonNull _ -> null;
      case JsonBoolean flag -> flag.value();
      case JsonString(String text) -> text;
      case JsonNumber number when number.isSafeInteger() -> (long) number.value();
      case JsonNumber number -> number.value();
      case JsonOverflow number -> number.text();
      case JsonArray array -> {
        var list = new ArrayList<@Nullable Object>();
        array.forEach(each -> list.add(plain(each)));
        yield list;
      }
      case JsonObject object -> {
        var members = new LinkedHashMap<String, @Nullable Object>();
        object.forEach((name, member) -> members.put(name, plain(member)));
        yield members;
      }
    };
  }
}
