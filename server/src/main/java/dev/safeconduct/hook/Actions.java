package dev.safeconduct.hook;

import dev.safeconduct.error.ProblemException;
import dev.safeconduct.json.JsonArray;
import dev.safeconduct.json.JsonNumber;
import dev.safeconduct.json.JsonObject;
import dev.safeconduct.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Describes a tool's use as actions that policies know. */
final class Actions {
  private static final String UPDATE = "*** Update File:";
  private static final String MOVE = "*** Move to:";
  private static final Set<String> FILES =
      Set.of("*** Add File:", UPDATE, "*** Delete File:", MOVE);
  private static final Set<String> OTHERS =
      Set.of("*** Begin Patch", "*** End Patch", "*** End of File");

  /** Agents read a carriage return within a line as a part of the path. */
  private static final Pattern LINE_END = Pattern.compile("\r?\n");

  private static final Pattern MARGIN = Pattern.compile("^[\\s\\p{Z}\\p{C}]+");

  /** How many questions one event may become. */
  static final int MOST_QUESTIONS = 100;

  /** How many file patterns times directories are looked at. */
  private static final int MOST_SEARCHES = 10_000;

  private static final int MOST_NAME = 200;
  private static final double MILLIS = 1000;

  /** As Gemini CLI splits: another invisible character may be a part of an address. */
  private static final Pattern BETWEEN_WORDS = Pattern.compile("[\\s\\p{Z}\\uFEFF]+");

  /** Between two addresses: also what may stand in one, if another one follows. */
  private static final Pattern NOT_IN_URL =
      Pattern.compile("[^A-Za-z0-9._~:/?#@!$&*+=%-]+|(?<=[*!_.:])(?=(?i:https?)://)");

  private static final Pattern URL = Pattern.compile("(?i:https?)://");

  /** What ends a sentence or a link, and no address. */
  private static final String AFTER_URL = ".,;:!?)]*_'\"`>";

  private final ToolCall call;
  private final ToolRow row;
  private final Shape input;
  private final HookSettings settings;

  private Actions(ToolCall call, ToolRow row, JsonObject input, HookSettings settings) {
    this.call = call;
    this.row = row;
    this.input = new Shape(input);
    this.settings = settings;
  }

  /**
   * Returns the questions about the tool's use, at least one.
   *
   * @param agentId the acting passport, which sessions are counted for
   * @throws dev.safeconduct.error.ProblemException 400 for an input that cannot be read
   */
  static List<Question> of(ToolCall call, ToolRow row, HookSettings settings, String agentId) {
    String each = row.get("each");
    if (each.isEmpty()) {
      return new Actions(call, row, call.input(), settings).questions(agentId);
    }
    var all = new ArrayList<Question>();
    if (call.input().get(each) instanceof JsonArray list) {
      for (JsonValue element : list) {
        if (!(element instanceof JsonObject one)) {
          throw Shape.wrong(each, "must hold objects only");
        }
        all.addAll(new Actions(call, row, one, settings).questions(agentId));
      }
    }
    if (all.isEmpty()) {
      throw Shape.wrong(each, "must be an array that is not empty");
    }
    return all;
  }

  private List<Question> questions(String agentId) {
    return switch (row.kind()) {
      case SHELL -> List.of(shell());
      case READ, SEARCH -> reads();
      case WRITE -> writes(input.texts(row.get("path")), content());
      case DELETE -> writes(input.texts(row.get("path")), JsonObject.of("content_length", 0L));
      case PATCH ->
          writes(
              patched(
                  input
                      .content(row.get("patch"))
                      .orElseThrow(() -> Shape.wrong(row.get("patch"), "is missing"))),
              JsonObject.EMPTY);
      case FETCH -> fetches();
      case WEB_SEARCH -> List.of(webSearch());
      case SESSION -> List.of(session(agentId));
      case MCP -> List.of(mcp());
      case RESOURCE -> List.of(resource());
    };
  }

  private Question shell() {
    JsonObject.Builder context = JsonObject.builder();
    List<JsonValue> command = input.values(row.get("command"));
    if (command.size() == 1 && command.getFirst() instanceof JsonArray words && !words.isEmpty()) {
      SequencedSet<String> _ = input.texts(row.get("command")); // each is text
      context.put("command", words.texts().getFirst());
      context.put("args", JsonArray.ofStrings(words.texts().subList(1, words.size())));
    } else {
      context.put("command", input.required(row.get("command")));
    }
    Optional<String> cwd = input.text(row.get("cwd")).map(this::absolute).or(call::cwd);
    context.putIfPresent("cwd", cwd).putIfPresent("shell", row.spec().string("shell"));
    input
        .rounded(row.get("timeout_ms"), MILLIS)
        .or(() -> input.rounded(row.get("timeout_s"), 1))
        .ifPresent(seconds -> context.put("timeout", seconds));
    return Question.of("system.command.execute", context);
  }

  private List<Question> reads() {
    SequencedSet<String> paths = new LinkedHashSet<>();
    input.texts(row.get("path")).forEach(path -> paths.add(absolute(path)));
    boolean searches = row.kind() == ToolRow.Kind.SEARCH;
    if (paths.isEmpty() && searches) {
      call.cwd().ifPresent(paths::add);
    }
    List<String> bases = searches ? List.copyOf(paths) : call.cwd().stream().toList();
    SequencedSet<String> patterns = input.texts(row.get("pattern"));
    if (bases.isEmpty() && !patterns.isEmpty()) {
      throw Shape.wrong(row.get("path"), "is missing");
    }
    if ((long) patterns.size() * bases.size() > MOST_SEARCHES) {
      throw tooMany(call);
    }
    for (String pattern : patterns) {
      List<String> found = FilePaths.searched(pattern);
      for (String base : bases) {
        found.forEach(path -> paths.add(FilePaths.absolute(path, Optional.of(base))));
        if (found.isEmpty()) {
          paths.add(base);
        }
        if (paths.size() > MOST_QUESTIONS) {
          throw tooMany(call);
        }
      }
    }
    boolean single = paths.size() == 1;
    return files("data.file.read", paths, single ? range() : JsonObject.EMPTY);
  }

  static ProblemException tooMany(ToolCall call) {
    return Shape.wrong(call.tool(), "means more than " + MOST_QUESTIONS + " actions at once");
  }

  /** Returns the part of the file, as far as the pack knows such parts. */
  private JsonObject range() {
    JsonObject.Builder range = JsonObject.builder();
    number("offset", 0, JsonNumber.MAX_SAFE_INTEGER).ifPresent(each -> range.put("offset", each));
    number("limit", 1, 100_000).ifPresent(each -> range.put("limit", each));
    return range.build();
  }

  private Optional<JsonNumber> number(String name, double least, double most) {
    return input.object().get(name) instanceof JsonNumber number
            && number.isSafeInteger()
            && number.value() >= least
            && number.value() <= most
        ? Optional.of(number)
        : Optional.empty();
  }

  private JsonObject content() {
    JsonObject.Builder content = JsonObject.builder();
    String required = row.get("content");
    if (!required.isEmpty()) {
      content.put(
          "content",
          input.content(required).orElseThrow(() -> Shape.wrong(required, "is missing")));
    }
    content.putIfPresent("content", input.content(row.get("optional_content")));
    return content.build();
  }

  private List<Question> writes(SequencedSet<String> paths, JsonObject more) {
    SequencedSet<String> all = new LinkedHashSet<>();
    paths.forEach(path -> all.add(absolute(path)));
    return files("data.file.write", all, more);
  }

  private List<Question> files(String capability, SequencedSet<String> paths, JsonObject more) {
    if (paths.isEmpty()) {
      throw Shape.wrong(row.get("path"), "is missing");
    }
    return paths.stream()
        .map(path ->
            Question.of(capability, JsonObject.builder().put("file_path", path).putAll(more)))
        .toList();
  }

  private List<Question> fetches() {
    SequencedSet<String> urls = input.texts(row.get("url"));
    input
        .content(row.get("prompt"))
        .ifPresent(prompt ->
            BETWEEN_WORDS
                .splitAsStream(prompt)
                .filter(word -> word.contains("://"))
                .flatMap(Actions::addresses)
                .forEach(urls::add));
    if (urls.isEmpty()) {
      throw Shape.wrong(row.get("prompt") + row.get("url"), "names no http or https address");
    }
    return urls.stream()
        .map(url -> url.replaceFirst("^(?i)ws(s?):", "http$1:"))
        .map(url ->
            Question.of("web.fetch", JsonObject.builder().put("url", url).put("method", "GET")))
        .toList();
  }

  /**
   * Returns the whole word, and each further address that begins where an address may end: agents
   * do not agree on that.
   */
  private static Stream<String> addresses(String word) {
    String whole = fromAddress(word);
    return Stream.concat(
            Stream.of(whole),
            NOT_IN_URL
                .splitAsStream(whole)
                .skip(1)
                .filter(part -> URL.matcher(part).find())
                .map(Actions::fromAddress))
        .map(url -> FilePaths.withoutEnd(url, AFTER_URL));
  }

  /** Returns the word without what stands before its address. */
  private static String fromAddress(String word) {
    Matcher url = URL.matcher(word);
    return url.find() && word.indexOf("://") > url.start() ? word.substring(url.start()) : word;
  }

  private Question webSearch() {
    JsonObject.Builder context =
        JsonObject.builder().put("query", input.required("query|search_term|q"));
    for (String name : List.of("allowed_domains", "blocked_domains")) {
      SequencedSet<String> domains = input.texts(name);
      if (!domains.isEmpty()) {
        context.put(name, JsonArray.ofStrings(domains));
      }
    }
    return Question.of("web.search", context);
  }

  private Question session(String agentId) {
    JsonObject.Builder context =
        JsonObject.builder()
            .put("user_id", call.user().orElse(agentId))
            .put("session_type", row.get("type"))
            .putIfPresent("session_name", input.start(row.get("name"), MOST_NAME))
            .putIfPresent("parent_session_id", input.text(row.get("parent")).or(call::session));
    SequencedSet<String> tags = input.texts(row.get("tags"));
    if (!tags.isEmpty()) {
      context.put("tags", JsonArray.ofStrings(tags));
    }
    return Question.of("agent.session.create", context);
  }

  private Question mcp() {
    Optional<String> url = input.text(row.get("url"));
    Optional<String> server = input.text(row.get("server"));
    if (url.isEmpty() && server.isEmpty()) {
      throw Shape.wrong(row.get("server"), "is missing: the event names no MCP server");
    }
    JsonObject arguments = input.members(row.get("arguments")).orElse(JsonObject.EMPTY);
    return McpCalls.question(
        new McpCalls.Target(server.orElse(""), input.required(row.get("tool")), url),
        arguments,
        call,
        settings);
  }

  private Question resource() {
    return McpCalls.question(
        new McpCalls.Target(input.required("server"), "resources.read", Optional.empty()),
        JsonObject.of("uri", input.required("uri")),
        call,
        settings);
  }

  private String absolute(String path) {
    return FilePaths.absolute(path, call.cwd());
  }

  /**
   * Returns every path that the patch writes.
   *
   * @throws dev.safeconduct.error.ProblemException 400 for a patch that cannot be read
   */
  private static SequencedSet<String> patched(String patch) {
    SequencedSet<String> paths = new LinkedHashSet<>();
    boolean isUpdate = false;
    for (String each : LINE_END.split(patch, -1)) {
      String line = MARGIN.matcher(each).replaceFirst("").strip();
      if (line.startsWith("***") && !OTHERS.contains(line)) {
        int colon = line.indexOf(':') + 1;
        String header = line.substring(0, colon);
        String path = line.substring(colon).strip();
        if (isUpdate && each.startsWith(" ") && !FILES.contains(header)) {
          continue; // A line of the file that stays.
        }
        if (!FILES.contains(header)
            || path.isEmpty()
            || path.chars().anyMatch(Character::isISOControl)) {
          throw Shape.wrong("patch", "has a line that is not known: " + line);
        }
        paths.add(path);
        isUpdate = header.equals(UPDATE) || (isUpdate && header.equals(MOVE));
      }
    }
    if (paths.isEmpty()) {
      throw Shape.wrong("patch", "names no file");
    }
    return paths;
  }
}
