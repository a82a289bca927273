package dev.safeconduct.verify;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A request made to cost much for its size.
 *
 * @param path the operation
 * @param body its body, with single quotes for double ones; made when needed, because it is large
 */
record WorstCase(String name, String path, Supplier<String> body) {
  private static final String PACK = "/api/verify/policy/";
  private static final String COMMAND = "system.command.execute.v1";
  private static final String ANY_COMMAND = "'allowed_commands':['*']";

  @Override
  public String toString() {
    return name;
  }

  /** The largest document that is no attack. */
  static WorstCase usual() {
    return json("usual", () -> each(48_000, i -> "'key number " + i + "':'some text'"));
  }

  static Stream<WorstCase> all() {
    return Stream.of(documents(), paths(), lists(), ownPacks(), files()).flatMap(List::stream);
  }

  /** Events of hooks, of at most 1 MiB, without the passport. */
  static Stream<WorstCase> events() {
    String words =
        IntStream.range(0, 2_400).mapToObj(i -> "a/" + i).collect(Collectors.joining(" "));
    String folders = ".claude .gemini .github .config etc hooks .aws/amazonq .codeium/windsurf ";
    return Stream.of(
        event("Bash", "'command':'ls .claude/" + "*".repeat(9_900) + "z'"),
        event("Bash", "'command':'ls .cursor/" + "*h".repeat(4_900) + "'"),
        event("Bash", "'command':'ls " + folders + words + "'"),
        event("Bash", "'command':'ls " + words + "'},'cwd':'" + "/a".repeat(80) + "','x':{"),
        event("Bash", "'command':'ls " + words + "'},'cwd':'" + "/a".repeat(9_000) + "','x':{"),
        event("Write", "'content':'','file_path':'/.claude/" + "*".repeat(9_900) + "z'"),
        event("Write", "'content':'','file_path':'" + "/.claude/h".repeat(1_900) + "'"),
        event("Glob", "'pattern':'" + "{a,".repeat(6_000) + "'"),
        event("Glob", searches(2_000, "a%d/*")),
        event("Glob", searches(2_000, "*a%d")),
        event("Glob", searches(98, "a%d/*")),
        event("Grep", texts("path", 20_000, "/srv/p/%d") + ",'glob':'" + "{a,".repeat(6_000) + "'"),
        new WorstCase(
            "web_fetch",
            "/api/hooks/gemini-cli",
            () ->
                "{'hook_event_name':'BeforeTool','tool_name':'web_fetch','tool_input':{'prompt':'"
                    + "a:https://b,".repeat(80_000)
                    + "'}}"),
        new WorstCase(
            "apply_patch",
            "/api/hooks/codex",
            () ->
                "{'hook_event_name':'PreToolUse','tool_name':'apply_patch','tool_input':{'patch':'"
                    + "*** Add File: a\\n".repeat(55_000)
                    + "'}}"));
  }

  private static String searches(int count, String pattern) {
    return texts("path", count, "/srv/p/%d") + "," + texts("pattern", count, pattern);
  }

  private static String texts(String name, int count, String format) {
    return "'" + name + "':[" + each(count, i -> "'" + format.formatted(i) + "'") + "]";
  }

  private static WorstCase event(String tool, String input) {
    return new WorstCase(
        tool + " " + input.substring(0, 30),
        "/api/hooks/claude-code",
        () ->
            "{'hook_event_name':'PreToolUse','tool_name':'"
                + tool
                + "','tool_input':{"
                + input
                + "}}");
  }

  private static List<WorstCase> documents() {
    return List.of(
        json("many members", () -> each(700_000, i -> "'k" + i + "':1")),
        json("names with one hash code", () -> each(48_000, WorstCase::colliding)),
        json("too many names with one hash code", () -> each(260_000, WorstCase::colliding)),
        json("many elements", () -> "'x':[" + "1,".repeat(5_000_000) + "1]"),
        json("many empty objects", () -> "'x':[" + "{},".repeat(950_000) + "{}]"),
        json("many nulls", () -> each(24_000, i -> "'k" + i + "':{'a':null}")),
        json("long numbers", () -> list("0." + "123456789".repeat(100) + "e-300", 12_000)),
        json("nested arrays", () -> list("[".repeat(27) + "]".repeat(27), 30_000)),
        json("unending nesting", () -> "'x':" + "[".repeat(5_000_000)),
        json("escapes", () -> "'x':'" + "\\u00e9".repeat(1_900_000) + "'"));
  }

  /** Globs against one long path, in every list of globs. */
  private static List<WorstCase> paths() {
    String path = "/a".repeat(2_000);
    String long800 = each(800, _ -> "'" + "**/a".repeat(300) + "/**/b'");
    String short100000 = each(100_000, i -> "'**/*a*b*" + i + "'");
    return Stream.of(long800, short100000)
        .flatMap(globs ->
            Stream.of(
                pack("data.file.read.v1", "allowed_paths", globs, "'file_path':'" + path + "'"),
                pack("data.file.read.v1", "blocked_patterns", globs, "'file_path':'" + path + "'"),
                pack(
                    "data.file.write.v1",
                    "blocked_paths",
                    globs,
                    "'file_path':'" + path + "','content':'x'"),
                pack(
                    COMMAND,
                    "allowed_working_directories",
                    globs,
                    "'command':'ls','cwd':'" + path + "'"),
                pack(COMMAND, "blocked_patterns", globs, "'command':'" + "a/".repeat(4_900) + "'"),
                pack(
                    COMMAND,
                    "allowed_paths",
                    globs,
                    "'command':'cat " + "/etc/shadow ".repeat(800) + "'"),
                pack(
                    "code.repository.merge.v1",
                    "path_allowlist",
                    globs,
                    "'repository':'a/b','branch':'x','base_branch':'main','title':'x',"
                        + "'action':'pr.create','files_changed':["
                        + each(500, _ -> "'" + "/a".repeat(100) + "'")
                        + "]"),
                pack(
                    "code.release.publish.v1",
                    "allowed_branches",
                    globs,
                    "'repository':'a/b','version':'1.0.0','files':['a.zip'],'branch':'"
                        + "a".repeat(100_000)
                        + "'")))
        .toList();
  }

  private static List<WorstCase> lists() {
    String domains = each(300_000, i -> "'a" + i + ".example/a/b/c'");
    String url = "'method':'GET','url':'https://a.example/" + "a/../".repeat(1_600) + "'";
    String names = "'allowed_domains':[" + each(100, i -> "'q" + i + ".test'") + "]";
    String views = "'file_path':'" + "/proc/1/root/c./".repeat(50) + "%252561'";
    String done = "'task_id':'t','summary':'s','output_type':'code','criteria_attestations':[";
    String say = "'channel_id':'c','message_type':'text','message':'";
    return List.of(
        pack(COMMAND, "allowed_commands", "'git'", "'command':'git','args':[" + segments() + "]"),
        pack(COMMAND, "allowed_commands", "'*'", "'command':'" + "a;".repeat(4_999) + "'"),
        pack(
            COMMAND,
            "allowed_commands",
            each(90_000, i -> "'c" + i + "'"),
            "'command':'" + "a;".repeat(4_999) + "'"),
        pack("web.fetch.v1", "allowed_domains", domains, url),
        pack("web.fetch.v1", "blocked_domains", domains, url),
        pack("web.search.v1", "allowed_domains", domains, "'query':'x'," + names),
        pack("web.search.v1", "blocked_domains", domains, "'query':'x'," + names),
        pack(
            "web.search.v1",
            "blocked_patterns",
            each(180_000, i -> "'" + "a".repeat(50) + i + "'"),
            "'query':'" + "a".repeat(2_000) + "'"),
        // Each view of a process, and each decoding, is a path of its own.
        pack(
            "data.file.read.v1",
            "blocked_patterns",
            each(20_000, i -> "'**/*a" + i + "*b'"),
            views),
        pack(
            "data.file.write.v1",
            "blocked_paths",
            each(20_000, i -> "'**/*a" + i + "*b'"),
            views + ",'content':'x'"),
        pack(
            "web.fetch.v1",
            "blocked_headers",
            each(200_000, i -> "'x-" + i + "*'"),
            "'url':'https://a.example/','headers':{"
                + each(45_000, i -> "'y-" + i + "':'v'")
                + "}"),
        pack(
            "code.release.publish.v1",
            "allowed_extensions",
            each(100_000, i -> "'.e" + i + "'"),
            "'repository':'a/b','version':'1.0.0','files':["
                + each(90_000, i -> "'a" + i + "'")
                + "]"),
        pack(
            "messaging.message.send.v1",
            "allowed_recipients",
            each(90_000, i -> "'r" + i + "'"),
            say + "m','recipients':[" + each(90_000, i -> "'r" + (89_999 - i) + "'") + "]"),
        pack(
            "messaging.message.send.v1",
            "allowed_recipients",
            "'*'",
            say + "@é ".repeat(2_500_000) + "'"),
        pack(
            "deliverable.task.complete.v1",
            "blocked_patterns",
            each(100_000, i -> "'aaaaab" + i + "'"),
            done + "],'output_content':'" + "a".repeat(8_000_000) + "'"),
        pack(
            "deliverable.task.complete.v1",
            "blocked_patterns",
            "'" + "a".repeat(2_000_000) + "b'",
            done + "],'output_content':'" + "a".repeat(8_000_000) + "'"),
        pack(
            "deliverable.task.complete.v1",
            "blocked_patterns",
            each(100, i -> "'" + "a".repeat(50) + i + "'"),
            done + "],'output_content':'" + "a".repeat(10_000_000) + "'"),
        pack(
            "deliverable.task.complete.v1",
            "blocked_patterns",
            "'x'",
            done + "],'output_content':'" + "\ufdfa".repeat(3_900_000) + "'"),
        pack(
            "deliverable.task.complete.v1",
            "acceptance_criteria",
            "],'require_different_reviewer':[",
            done
                + "],'reviewer_agent_id':'r','author_agent_id':'"
                + "\ufdfa".repeat(3_900_000)
                + "'"),
        pack(
            "deliverable.task.complete.v1",
            "blocked_patterns",
            each(20, i -> "'" + "é".repeat(100) + i + "'"),
            done + "],'output_content':'" + "é".repeat(2_000_000) + "'"),
        pack(
            "deliverable.task.complete.v1",
            "blocked_patterns",
            "'x'",
            done
                + each(
                    12_000,
                    _ ->
                        "{'criterion_id':'c','met':true,'evidence':'é"
                            + "\u200b".repeat(200)
                            + "x'}")
                + "]"),
        pack(
            "mcp.tool.execute.v1",
            "allowed_servers",
            each(100_000, i -> "'https://a" + i + ".example/b'"),
            "'parameters':{},'tool':'t','server':'https://a.example/"
                + "a/../".repeat(900_000)
                + "'"),
        new WorstCase(
            "companions",
            PACK + COMMAND,
            () ->
                whole(
                    COMMAND,
                    ANY_COMMAND,
                    "'command':'ls','mcp_servers':[" + each(300_000, i -> "'s" + i + "'") + "]",
                    "'mcp':{'servers':[" + each(300_000, i -> "'s" + (i + 1) + "'") + "]},",
                    "")));
  }

  private static List<WorstCase> ownPacks() {
    String field = "'s':{'type':'string','pattern':'";
    String long5000 = each(5_000, i -> "a".repeat(i % 9 + 1)).replace(',', '|');
    String any = rules(1, "context.s !== \\'x\\'");
    String texts =
        "'l':{'type':'array'},'n':{'type':'number'},'s':{'type':'string'},'t':{'type':'string'}";
    String upper = "context.l.every(x => context.s.toUpperCase() !== context.t) || context.n === ";
    String context =
        "'n':0,'l':[" + "0,".repeat(2_000) + "0],'s':'" + "a".repeat(4_000) + "','t':'a'";
    String aliases = each(3_000, i -> "'f" + i + "':{'type':'number','x-aliases':['g" + i + "']}");
    return List.of(
        own(
            "alternations",
            field + "^(a|aa|aaa|aaaa|b|c|d)*(a|b){0,90}$'}",
            any,
            "'s':'" + "a".repeat(5_000_000) + "!'"),
        own(
            "counted classes",
            field + "^([a-z]{0,100}[0-9a-z]{0,99}){1,2}$'}",
            any,
            "'s':'" + "a".repeat(5_000_000) + "!'"),
        own(
            "a long pattern",
            field + "^(" + long5000 + ")*$'}",
            any,
            "'s':'" + "a".repeat(5_000) + "!'"),
        own(
            "many required members",
            "'l':{'type':'array','items':{'type':'object','required':["
                + each(1_500, i -> "'r" + i + "'")
                + "]}}",
            rules(1, "context.l.length !== 1"),
            "'l':[" + "{},".repeat(400_000) + "{}]"),
        own(
            "many choices",
            "'l':{'type':'array','items':{'enum':[" + each(5_000, i -> "'r" + i + "'") + "]}}",
            rules(1, "context.l.length !== 1"),
            "'l':[" + each(600_000, _ -> "'r4999'") + "]"),
        own(
            "many aliases",
            aliases,
            rules(1, "context.f1 !== 2"),
            each(3_000, i -> "'g" + i + "':1") + "," + each(35_000, i -> "'x" + i + "':1")),
        own(
            "many lifted members",
            aliases,
            rules(1, "context.f1 !== 2"),
            "'params':{"
                + each(3_000, i -> "'f" + i + "':1")
                + "},"
                + each(35_000, i -> "'x" + i + "':1")),
        own("many rules", texts, rules(200, upper), context),
        new WorstCase(
            "a batch of many rules",
            "/api/verify/batch",
            () -> {
              String one = own("", texts, rules(30, upper), context).body.get();
              String evaluation = "{'policy_id':'IN_BODY'," + one.substring(1);
              return "{'evaluations':[" + each(100, _ -> evaluation) + "]}";
            }));
  }

  /** Plans of as many objects as a request may have. */
  private static List<WorstCase> files() {
    return List.of(
        plan("names", i -> passport(i)),
        plan("instances", i -> passport(i) + ",'template':'a0'".repeat(Math.min(i, 1))),
        plan("a chain of instances", i -> passport(i) + ",'template':'a" + (i + 1) + "'"),
        plan("presets", i -> "'kind':'Preset','slug':'a" + i + "','preset':'claude-code'"));
  }

  private static String passport(int number) {
    return "'kind':'Passport','slug':'a%1$d','name':'%1$d'".formatted(number);
  }

  private static WorstCase plan(String name, IntFunction<String> members) {
    return new WorstCase(
        "a plan, " + name,
        "/api/plan",
        () -> "{'resources':[" + each(1_500, i -> "{" + members.apply(i) + "}") + "]}");
  }

  private static String rules(int count, String condition) {
    return each(
        count,
        i ->
            "{'name':'r%d','deny_code':'oap.limit_exceeded','condition':'%s'}"
                .formatted(i, condition.endsWith("=== ") ? condition + (i + 1) : condition));
  }

  private static WorstCase json(String name, Supplier<String> members) {
    return new WorstCase(
        name,
        PACK + COMMAND,
        () -> whole(COMMAND, ANY_COMMAND, "'command':'ls'," + members.get(), "", ""));
  }

  private static WorstCase pack(String policy, String list, String entries, String context) {
    return new WorstCase(
        policy + ", " + list + " of " + entries.length() + " characters",
        PACK + policy,
        () -> {
          var limits = new StringBuilder();
          for (String any :
              List.of(
                  "allowed_paths",
                  "allowed_commands",
                  "allowed_domains",
                  "allowed_repos",
                  "allowed_servers")) {
            limits.append(any.equals(list) ? "" : "'" + any + "':['*'],");
          }
          limits.append("'msgs_per_min':9,'msgs_per_day':9,'scan_output':true,");
          return whole(policy, limits + "'" + list + "':[" + entries + "]", context, "", "");
        });
  }

  private static WorstCase own(String name, String fields, String rules, String context) {
    return new WorstCase(
        "own pack, " + name,
        PACK + "IN_BODY",
        () ->
            whole(
                "x.v1",
                "",
                context,
                "",
                "'policy':{'id':'own.v1','requires_capabilities':['x'],'required_context':{'type':'object','properties':{"
                    + fields
                    + "}},'evaluation_rules':["
                    + rules
                    + "]},"));
  }

  private static String whole(
      String policy, String limits, String context, String passport, String more) {
    String capability = policy.substring(0, policy.lastIndexOf('.'));
    String held =
        Stream.of(capability, "repo.pr.create", "repo.merge", "repo.release", "messaging.send")
            .map(id -> "{'id':'" + id + "'}")
            .collect(Collectors.joining(","));
    return "{"
        + more
        + "'passport':{'agent_id':'ap_own','name':'N','status':'active',"
        + "'assurance_level':'L4FIN','regions':['US'],'capabilities':["
        + held
        + "],"
        + passport
        + "'limits':{'"
        + capability
        + "':{"
        + limits
        + "}}},'context':{"
        + context
        + "}}";
  }

  private static String each(int count, IntFunction<String> text) {
    return IntStream.range(0, count).mapToObj(text).collect(Collectors.joining(","));
  }

  private static String list(String element, int count) {
    return "'x':[" + (element + ",").repeat(count) + "1]";
  }

  private static String segments() {
    return each(100, _ -> "'" + "a;b&c|".repeat(15_000) + "'");
  }

  /** A member whose name {@code String.hashCode} does not tell from the others. */
  private static String colliding(int number) {
    var name = new StringBuilder("'");
    for (int bit = 0; bit < 18; bit++) {
      name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
    }
    return name.append("':1").toString();
  }
}
