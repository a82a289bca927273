package dev.safeconduct.cli;

import dev.safeconduct.json.Json;
import dev.safeconduct.json.JsonFault;
import dev.safeconduct.json.JsonString;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Hooks in a TOML file: tables at its end between two comments. The rest of the file is not parsed;
 * a spelling that could mean hooks too is refused.
 */
final class TomlHooks implements HookFormat {
  private static final String MARK = "# safeconduct hook";
  private static final Pattern BLOCK =
      Pattern.compile("(?ms)^" + MARK + ": begin\r?\n(.*?)^" + MARK + ": end(\r?\n|\\z)");
  private static final Pattern COMMAND = Pattern.compile("(?m)^command = (\".*\")\r?$");
  private static final Pattern TABLE = Pattern.compile("(?m)^\\s*\\[");
  private static final Pattern INLINE =
      Pattern.compile("(?m)^\\s*(hooks\\s*[=.]|\"hooks\"|'hooks')");
  private static final Pattern INLINE_EVENT = Pattern.compile("(?m)^\\s*[\"']?PreToolUse");

  private final String agent;
  private final List<String> lines;

  TomlHooks(String agent, List<String> lines) {
    this.agent = agent;
    this.lines = lines;
  }

  @Override
  public String add(String text, String command) throws HookFault {
    check(text);
    String newline = text.contains("\r\n") ? "\r\n" : "\n";
    String before = text.isEmpty() || text.endsWith("\n") ? text : text + newline;
    return before + block(command, newline);
  }

  private String block(String command, String newline) {
    return String.join(
        newline,
        MARK + ": begin",
        String.join(newline, lines).replace("{command}", Json.text(new JsonString(command))),
        MARK + ": end",
        "");
  }

  private static void check(String text) throws HookFault {
    if (text.contains("\"\"\"") || text.contains("'''")) {
      throw new HookFault("it holds text of several lines: add the hook by hand");
    }
    if (INLINE.matcher(TABLE.split(text, 2)[0]).find() || INLINE_EVENT.matcher(text).find()) {
      throw new HookFault("it holds hooks in another spelling than [[hooks.PreToolUse]]");
    }
  }

  @Override
  public String strip(String text) {
    return BLOCK.matcher(text).replaceAll("");
  }

  @Override
  public boolean holds(String text, String command) {
    Matcher block = BLOCK.matcher(text);
    return block.find()
        && block.group().replace("\r\n", "\n").equals(block(command, "\n"))
        && !block.find();
  }

  @Override
  public List<String> commands(String text) {
    Matcher block = BLOCK.matcher(text);
    if (!block.find()) {
      return List.of();
    }
    return COMMAND
        .matcher(block.group(1))
        .results()
        .map(line -> unquoted(line.group(1)))
        .filter(command -> HookCommandLine.isOf(agent, command))
        .distinct()
        .toList();
  }

  private static String unquoted(String quoted) {
    try {
      return Json.parse(quoted) instanceof JsonString(String text) ? text : "";
    } catch (JsonFault _) {
      return "";
    }
  }

  @Override
  public boolean hasCommand() {
    return true;
  }

  @Override
  public boolean isBare(String text) {
    return text.isBlank();
  }
}
