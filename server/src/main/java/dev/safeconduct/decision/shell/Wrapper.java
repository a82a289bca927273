package dev.safeconduct.decision.shell;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A program that runs the command written after its own options and operands (validators section
 * 4.2).
 *
 * @param letters short options that take a value
 * @param names long options that take a value
 * @param operands how many operands stand before the command
 * @param refused options that take a value on some systems only; an open line reads them without
 */
record Wrapper(String letters, List<String> names, int operands, Refused refused) {
  /** Short and long options. */
  record Refused(String letters, List<String> names) {
    static final Refused NONE = new Refused("", List.of());
  }

  private static final Wrapper PLAIN = takes(0, "");
  private static final Wrapper ONE_OPERAND = takes(1, "");

  private static final Map<String, Wrapper> ALL =
      Map.ofEntries(
          Map.entry(
              "sudo",
              takes(
                  0,
                  "CDghpRrTtUu",
                  "chdir",
                  "chroot",
                  "close-from",
                  "command-timeout",
                  "group",
                  "host",
                  "other-user",
                  "prompt",
                  "role",
                  "type",
                  "user")),
          Map.entry("doas", takes(0, "Cu")),
          Map.entry(
              "env",
              takes(0, "CSu", "chdir", "split-string", "unset")
                  .refusing("aS", "argv0", "split-string")),
          Map.entry("exec", takes(0, "a")),
          Map.entry("time", takes(0, "fo", "format", "output")),
          Map.entry("nice", takes(0, "n", "adjustment")),
          Map.entry("ionice", takes(0, "cn", "class", "classdata")),
          Map.entry("stdbuf", takes(0, "eio", "error", "input", "output")),
          Map.entry("timeout", takes(1, "ks", "kill-after", "signal")),
          Map.entry(
              "xargs",
              takes(
                  0,
                  "adEILnPs",
                  "arg-file",
                  "delimiter",
                  "max-args",
                  "max-chars",
                  "max-procs",
                  "process-slot-var")),
          Map.entry("watch", takes(0, "n", "interval").refusing("qs", "equexit", "shotsdir")),
          Map.entry("flock", takes(1, "Ew", "conflict-exit-code", "timeout", "wait")),
          Map.entry(
              "strace",
              takes(0, "abeEIoOPsSuX")
                  .refusing(
                      "U",
                      "attach",
                      "columns",
                      "const-print-style",
                      "detach-on",
                      "env",
                      "interruptible",
                      "output",
                      "read",
                      "signals",
                      "status",
                      "string-limit",
                      "summary-columns",
                      "summary-sort-by",
                      "summary-syscall-overhead",
                      "syscall-limit",
                      "trace",
                      "trace-path",
                      "user",
                      "write")),
          Map.entry(
              "unshare",
              PLAIN.refusing(
                  "GRSlw",
                  "boottime",
                  "load-interp",
                  "map-group",
                  "map-user",
                  "monotonic",
                  "owner",
                  "propagation",
                  "root",
                  "setgid",
                  "setgroups",
                  "setuid",
                  "wd")),
          Map.entry("chroot", ONE_OPERAND),
          Map.entry("taskset", ONE_OPERAND),
          Map.entry("chrt", ONE_OPERAND),
          Map.entry("gosu", ONE_OPERAND),
          Map.entry("su-exec", ONE_OPERAND),
          Map.entry("nohup", PLAIN),
          Map.entry("command", PLAIN),
          Map.entry("builtin", PLAIN),
          Map.entry("setsid", PLAIN),
          Map.entry("busybox", PLAIN),
          Map.entry("pkexec", PLAIN),
          Map.entry("noglob", PLAIN),
          Map.entry("nocorrect", PLAIN));

  /** The wrappers that read assignments before the command. */
  private static final Set<String> ASSIGN = Set.of("env", "sudo");

  /** Whether the word behind the wrapper is an assignment; env takes any name: {@code A-B=1}. */
  private static boolean assigns(String wrapper, String word) {
    return switch (CommandWords.base(wrapper)) {
      case "env" -> word.indexOf('=') > 0;
      case "sudo" -> word.indexOf('=') > 0 && !word.startsWith("/");
      default -> CommandWords.assigned(word).isPresent();
    };
  }

  static boolean isWrapper(String word) {
    return ALL.containsKey(CommandWords.base(word));
  }

  /**
   * Returns the index after the options, values and operands of the wrapper at this index, as the
   * tolerant reading has it: with redirections and assignments anywhere between.
   */
  static int endOpen(List<String> words, int at) {
    Wrapper wrapper = of(words.get(at));
    int operands = wrapper.operands;
    boolean options = true;
    int i = at + 1;
    while (i < words.size()) {
      String word = words.get(i);
      int redirected = Redirections.length(words, i);
      if (redirected > 0) {
        i += redirected;
      } else if (options && word.equals("--")) {
        options = false;
        i++;
      } else if (options && word.startsWith("-")) {
        i += wrapper.takesNext(word) ? 2 : 1;
      } else if (assigns(words.get(at), word)) {
        i++;
      } else if (operands > 0) {
        operands--;
        i++;
      } else {
        break;
      }
    }
    return Math.min(i, words.size());
  }

  /**
   * Returns the index after the wrapper's part of a closed line: its options, then assignments if
   * it reads them, then its operands, as the program itself reads them.
   */
  static int endClosed(List<String> words, int at) {
    Wrapper wrapper = of(words.get(at));
    int i = at + 1;
    while (i < words.size() && CommandWords.isFlag(words.get(i))) {
      i += wrapper.takesNext(words.get(i)) ? 2 : 1;
    }
    if (i < words.size() && words.get(i).equals("--")) {
      i++;
    }
    if (ASSIGN.contains(CommandWords.base(words.get(at)))) {
      while (i < words.size() && CommandWords.assigned(words.get(i)).isPresent()) {
        i++;
      }
    }
    return Math.min(i + wrapper.operands, words.size());
  }

  /** Whether the word is an option of the wrapper that may hide which word is the command. */
  static boolean refuses(String wrapper, String word) {
    Wrapper known = of(wrapper);
    return CommandWords.hasShort(word, known.refused.letters, known.letters)
        || ((word.indexOf('=') < 0 || CommandWords.base(wrapper).equals("env"))
            && CommandWords.meansAny(word, known.refused.names));
  }

  private static Wrapper of(String word) {
    Wrapper wrapper = ALL.get(CommandWords.base(word));
    return wrapper == null ? PLAIN : wrapper;
  }

  private static Wrapper takes(int operands, String letters, String... names) {
    return new Wrapper(letters, List.of(names), operands, Refused.NONE);
  }

  private Wrapper refusing(String some, String... others) {
    return new Wrapper(letters, names, operands, new Refused(some, List.of(others)));
  }

  /** Whether the option takes the next word as its value. */
  private boolean takesNext(String word) {
    if (word.startsWith("--")) {
      return word.indexOf('=') < 0 && CommandWords.meansAny(word, names);
    }
    for (int i = 1; i < word.length(); i++) {
      if (letters.indexOf(word.charAt(i)) >= 0) {
        return i == word.length() - 1;
      }
    }
    return false;
  }
}
