package dev.safeconduct.decision.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Random command lines: valid pieces mixed with constructs in which shells differ, or which hide a
 * command from a reader. What a hidden command would run is {@code evil}; the file that it would
 * write is {@code X}.
 */
final class ShellLines {
  /** What the lines are judged by. */
  static final List<String> LISTED =
      List.of(
          "git",
          "npm run",
          "echo",
          "printf",
          "test",
          "read",
          "timeout",
          "command",
          "builtin",
          "exec",
          "time",
          "noglob",
          "nocorrect",
          "nice",
          "env",
          "cat");

  /** The file that output may be written to. */
  static final String OUTPUT = "out";

  /** The words that lines are made of. In the test all of them are programs. */
  static final List<String> WORDS =
      List.of(
          "a", "b", "x", "5", "-n", "-x", "-a", "-f", "-k", "--x=y", "A=1", "evil", "if", "then",
          "fi", "do", "run", "E", "X", "e", "-p", "--", "-", "not", "and", "or", "begin", "end",
          "else", "switch");

  /** Valid pieces of words, by the name of the construct. */
  private static final Map<String, List<String>> PIECES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("plain word", List.of("a", "x.y", "a:b", "HEAD~1", "a@b", "a%b+c,d^e")),
              Map.entry("single quotes", List.of("'a b'", "'a;evil'", "'$(evil)'", "'`evil`'")),
              Map.entry("quoted comment", List.of("'# '", "\"# '\"", "\\#", "a#b", "a#'")),
              Map.entry(
                  "double quotes", List.of("\"a b\"", "\"a;evil\"", "\"a'b\"", "\"<(evil)\"")),
              Map.entry(
                  "escapes in quotes",
                  List.of("\"\\$(evil)\"", "\"\\`evil\\`\"", "\"\\\\\"", "\"\\a\"", "'\\'")),
              Map.entry(
                  "escapes",
                  List.of(
                      "\\;", "\\'", "\\\"", "\\ ", "\\$x", "\\&", "\\|", "\\>", "\\!", "\\\\",
                      "\\(")),
              Map.entry(
                  "line end in quotes", List.of("'a\nevil'", "\"a\nevil\"", "'\n'", "\"\n# '\"")),
              Map.entry(
                  "variable",
                  List.of("$HOME", "${HOME}", "\"$x\"", "\"${LOG} b\"", "$x'y'", "${x}:y", "$_")),
              Map.entry(
                  "wildcard",
                  List.of("*", "?", "[a]", "x*", "[!a]*", "a?b", "[", "]", "[a-", "**/x")),
              Map.entry("tilde", List.of("~", "~/x", "a~b", "a=~/x")),
              Map.entry("braces", List.of("{}", "'{a,b}'", "\"{a,b}\"", "\\{a,b\\}")),
              Map.entry("empty", List.of("''", "\"\"", "''\"\"")),
              Map.entry("bang", List.of("\"a! b\"", "'!!'", "\\!")),
              Map.entry(
                  "beyond ASCII", List.of("'ä'", "\"\u00a0\"", "'\u2028x'", "'\u200b;'", "\"😀\"")),
              Map.entry(
                  "adjacent quotes",
                  List.of("'a'\"b\"c", "a'b'", "\"a\"'b'\\c", "''~x", "\"\"=evil", "''#x")),
              Map.entry("dashes", List.of("-x", "--x=y", "-'x'", "--", "-")),
              Map.entry("assignment as word", List.of("A=1", "a[1]=2", "A+=x"))));

  /** What never may be inside an allowed line, or only where it is harmless. */
  private static final List<String> NASTY =
      List.of(
          "# '\nevil #'",
          "# \"\nevil #\"",
          "# \\\nevil",
          "#\nevil",
          "<<E\ngit '\nE\nevil #'",
          "<<E\n$(evil)\nE\n",
          "<<<x",
          "$'\\'' ; evil #'",
          "$\"$(evil)\"",
          "\"$\\\n(evil)\"",
          "\\\n;evil",
          "${x:='a[$(evil)]'} $[x]",
          "${x:x}",
          "${x['$(evil)']}",
          "$['a[$(evil)]']",
          "${HOME:'a[$(evil)]'}",
          "${x:='$(evil)'} ${x@P}",
          "\"${x:='$(evil)'} ${x@P}\"",
          "&>/dev/null evil",
          "&>X",
          ">&X",
          ">|X",
          "<>X",
          "'\\'' ; evil #'",
          "\"${(e):-\\$(evil)}\"",
          "`evil`",
          "\"`evil`\"",
          "$(evil)",
          "\"$(evil)\"",
          "<(evil)",
          ">(evil)",
          "=(evil)",
          "& evil",
          "|& evil",
          ";; evil",
          "\nevil",
          "\r\nevil",
          "\revil",
          "\u0085evil",
          "\u2028evil",
          "\u00a0evil",
          "> X",
          ">X",
          "> 'X'",
          ">>X",
          "1>X",
          "12>X",
          "{fd}>X",
          "{ evil; }",
          "(evil)",
          "! evil",
          "|evil",
          "| evil",
          "||evil",
          "&&evil",
          ";evil",
          "; ! evil",
          "; if evil; then x; fi",
          "; A=1 evil",
          "; 2>/dev/null evil",
          "; A=1",
          "*(e:evil:)",
          "*(e'evil')",
          "=evil",
          "~root",
          "$HOME[1]",
          "$HOME[$(evil)]",
          "$x:s/a/evil/",
          "{evil,a}",
          "a{b,c}",
          "$((`evil`))",
          "$?",
          "$1",
          "\"a!b\"",
          "!evil",
          "'a",
          "\"a",
          "\\",
          "> $x",
          "> ou*",
          "> {a,b}",
          "2>&1evil",
          ">&-",
          "f() { evil; }; f",
          "function f { evil; }; f",
          "; coproc evil",
          "; [[ a ]]",
          "; ((1))",
          "; case a in a) evil;; esac",
          "; for i in a; do evil; done",
          "; repeat 1 evil",
          "; foreach i (a) evil; end",
          "; while evil; do x; done",
          "; $x evil",
          "; ''evil",
          "; e'vil'",
          "; \\evil",
          "; command evil",
          "; exec evil",
          "; builtin eval evil",
          "; time evil",
          "; noglob evil",
          "; nice -n evil",
          "; command -- evil",
          "; command -p evil",
          "; time -p evil",
          "; exec -a git evil",
          "; exec nice evil",
          "; command command evil",
          "; command A=1 evil",
          "; time A=1 evil",
          "; time ! evil",
          "; time -- evil",
          "; env -S evil",
          "; time if evil",
          "; printf -v 'a[$(evil)]' x",
          "; test -v 'a[$(evil)]'",
          "; test 'a[$(evil)]' -eq 1",
          "; read 'a[$(evil)]'",
          "; read a$x",
          "; eval evil",
          "; . X",
          "; source X",
          "; trap evil EXIT",
          "; npm evil",
          "; alias git=evil\ngit",
          "; - evil",
          "; -- evil",
          "; {evil,}",
          "; ~/evil");

  /** A soup of these characters is rarely a line, and may be one that nobody thought of. */
  private static final List<String> SOUP =
      List.of(
          "git ", "echo ", "evil", " ", " ", " ", "a", "x", "X", "2", "'", "'", "\"", "\"", "\\",
          "$", "$x", "`", "(", ")", "{", "}", "[", "]", "*", "?", "!", "#", "~", "=", ";", "|", "&",
          "<", ">", "\n", "\t", ":", "-", "+", "%", "^", "@", ",", "{}", "out", "; git ", "| cat ",
          "\r");

  private static final List<String> STARTS =
      List.of(
          "git",
          "git",
          "echo",
          "npm run",
          "printf",
          "test",
          "read",
          "cat",
          "g'i't",
          "\\git",
          "\"npm\" run",
          "npm 'run'",
          "timeout 5 git",
          "timeout -k 5 5 cat",
          "command git",
          "command -p git",
          "exec git",
          "exec -a x git",
          "time git",
          "time -p cat",
          "noglob git",
          "nocorrect git",
          "nice -n 5 git",
          "env A=1 git",
          "command time git",
          "builtin echo",
          "nice -x",
          "env",
          "exec",
          "command -v git",
          "command -- git",
          "command -x git",
          "exec -- git",
          "noglob -x git",
          "nocorrect -- git",
          "time -- git",
          "command -p -p git");

  private static final List<String> JOINTS =
      List.of(" | ", "|", " && ", "||", "; ", ";", "\n", " &&\n", " |\n\n ", "; \n");

  private static final List<String> FISH =
      List.of(
          "git",
          "npm run",
          "echo",
          "command git",
          "and git",
          "not git",
          "begin",
          "end",
          "evil",
          "A=1 git",
          "exec git",
          "time git",
          "if git",
          "or evil",
          "builtin echo",
          "switch a",
          "else",
          "command",
          "git and evil",
          "git -x /a:b,c+d=e",
          "=git",
          "time evil",
          "-",
          ".");

  /** The characters that a line for fish may hold. */
  private static final List<String> PLAIN =
      List.of("a", "X", "2", "_", ".", "..", "/", ":", "+", "=", ",", "-", "--", "git", "evil");

  private final Random random;
  private final Set<String> constructs = new TreeSet<>();

  ShellLines(long seed) {
    random = new Random(seed);
  }

  /**
   * One line.
   *
   * @param shell the context's {@code shell}; empty for none
   * @param constructs the names of what it is made of
   */
  record Line(String command, List<String> args, String shell, Set<String> constructs) {}

  /** The names of all constructs that must occur in allowed lines. */
  static Set<String> required() {
    var all = new TreeSet<>(PIECES.keySet());
    all.addAll(
        Set.of("redirection", "several commands", "wrapper", "args", "fish", "soup", "line end"));
    return all;
  }

  /** A line for a shell of the sh family. */
  Line next() {
    constructs.clear();
    boolean soup = random.nextInt(100) < 12;
    if (soup) {
      constructs.add("soup");
    }
    String text = soup ? "git " + soup() : commands();
    var args = new ArrayList<String>();
    if (!soup && random.nextInt(12) == 0) {
      constructs.add("args");
      for (int i = random.nextInt(1, 4); i > 0; i--) {
        args.add(random.nextInt(4) == 0 ? soup() : one(WORDS));
      }
    }
    return new Line(text, List.copyOf(args), "", Set.copyOf(constructs));
  }

  /** A line for fish. */
  Line nextForFish() {
    constructs.clear();
    constructs.add("fish");
    var line = new StringBuilder(one(FISH));
    for (int i = random.nextInt(4); i > 0; i--) {
      line.append(random.nextInt(9) == 0 ? "  " : " ").append(wordForFish());
    }
    var args = new ArrayList<String>();
    for (int i = random.nextInt(4) == 0 ? random.nextInt(1, 3) : 0; i > 0; i--) {
      args.add(wordForFish());
    }
    return new Line(line.toString(), List.copyOf(args), "fish", Set.copyOf(constructs));
  }

  private String wordForFish() {
    int kind = random.nextInt(3);
    if (kind < 2) {
      return one(kind == 0 ? FISH : WORDS);
    }
    var word = new StringBuilder();
    for (int i = random.nextInt(1, 5); i > 0; i--) {
      word.append(one(random.nextInt(20) == 0 ? SOUP : PLAIN));
    }
    return word.toString();
  }

  private String commands() {
    var line = new StringBuilder();
    int nasty = random.nextInt(8) > 0 ? random.nextInt(2) : -1;
    int count = random.nextInt(3) == 0 ? random.nextInt(2, 4) : 1;
    if (count > 1) {
      constructs.add("several commands");
    }
    for (int i = 0; i < count; i++) {
      line.append(i == 0 ? "" : one(JOINTS));
      String start = one(STARTS);
      if (start.contains(" ")) {
        constructs.add("wrapper");
      }
      line.append(start);
      for (int words = random.nextInt(4); words > 0; words--) {
        line.append(random.nextInt(20) == 0 ? "" : " ").append(word());
        if (nasty-- == 0) {
          line.append(random.nextInt(4) == 0 ? "" : " ").append(one(NASTY));
        }
      }
      if (random.nextInt(4) == 0) {
        constructs.add("redirection");
        line.append(redirection());
      }
    }
    if (random.nextInt(8) == 0) {
      constructs.add("line end");
      line.append(one(List.of("\n", ";", " ; ", "\n\n", ";\n")));
    }
    return line.toString();
  }

  private String word() {
    var word = new StringBuilder();
    for (int i = random.nextInt(4) == 0 ? 2 : 1; i > 0; i--) {
      String construct = one(List.copyOf(PIECES.keySet()));
      constructs.add(construct);
      word.append(one(PIECES.getOrDefault(construct, List.of())));
    }
    return word.toString();
  }

  private String redirection() {
    return one(
        List.of(
            " >/dev/null",
            " 2> /dev/null",
            ">/dev/null",
            " 2>&1",
            ">&2 ",
            " > out",
            ">>out",
            " 1>out",
            " > 'out'",
            " >o\\ut",
            " < x",
            " 0<x",
            " > \"out\" 2>&1",
            " <'a b'",
            " 3>out"));
  }

  private String soup() {
    var soup = new StringBuilder();
    for (int i = random.nextInt(1, 9); i > 0; i--) {
      soup.append(one(SOUP));
    }
    return soup.toString();
  }

  private String one(List<String> of) {
    return of.get(random.nextInt(of.size()));
  }
}
