package dev.safeconduct.decision.shell;

import dev.safeconduct.text.Words;
import java.util.ArrayList;
import java.util.HashMap;
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
 * @param refused options that hide on some system which word is the command; an open line reads the
 *     letters and names as options without a value
 */
record Wrapper(String letters, List<String> names, int operands, Refused refused) {
  /**
   * Options that take a value on some systems only.
   *
   * @param attached short options that take the rest of their word as the value, and never the next
   */
  record Refused(String letters, List<String> names, String attached) {}

  private static final Wrapper PLAIN =
      new Wrapper("", List.of(), 0, new Refused("", List.of(), ""));

  /** Programs | operands | letters | names | refused letters | refused names | attached letters. */
  private static final Map<String, Wrapper> ALL =
      read(
          """
          nohup command builtin setsid busybox noglob nocorrect | 0 | | | | |
          pkexec | 0 | | | u | user |
          taskset chrt gosu su-exec | 1 | | | | |
          chroot | 1 | | | gGu | groups userspec |
          sudo | 0 | CDghpRrTtUu | chdir chroot close-from command-timeout group host other-user \
            prompt role type user | ac | auth-type login-class |
          doas | 0 | Cu | | a | |
          env | 0 | CSu | chdir split-string unset | aLPSU | argv0 split-string |
          exec | 0 | a | | | |
          time | 0 | fo | format output | | |
          nice | 0 | n | adjustment | | |
          ionice | 0 | cn | class classdata | | |
          stdbuf | 0 | eio | error input output | | |
          timeout | 1 | ks | kill-after signal | | |
          xargs | 0 | adEILnPs | arg-file delimiter max-args max-chars max-procs \
            process-slot-var | JRS | process-slot-var | eil
          watch | 0 | n | interval | qs | equexit shotsdir | d
          flock | 1 | Ew | conflict-exit-code timeout wait | | |
          strace | 0 | abeEIoOPsSuX | | EU | abbrev argv0 attach columns const-print-style decode-pids \
            detach-on env fault inject interruptible kvm output raw read signals status \
            string-limit summary-columns summary-sort-by summary-syscall-overhead syscall-limit \
            trace trace-fds trace-path user verbose write |
          unshare | 0 | | | GRSlw | boottime load-interp map-group map-user monotonic owner \
            propagation root setgid setgroups setuid wd |
          """);

  /** Refused options that are so with the value in the same word, too. */
  private static final List<String> WITH_VALUE =
      List.of("argv0", "env", "process-slot-var", "split-string");

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

  /** Whether the word is a wrapper that reads assignments before the command. */
  static boolean assigns(String word) {
    return ASSIGN.contains(CommandWords.base(word));
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
    if (assigns(words.get(at))) {
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
        || (CommandWords.hasShort(word, known.refused.attached, known.letters)
            && known.takesNext(word))
        || (CommandWords.meansAny(word, known.refused.names)
            && (word.indexOf('=') < 0 || CommandWords.meansAny(word, WITH_VALUE)));
  }

  private static Wrapper of(String word) {
    Wrapper wrapper = ALL.get(CommandWords.base(word));
    return wrapper == null ? PLAIN : wrapper;
  }

  private static Map<String, Wrapper> read(String table) {
    var all = new HashMap<String, Wrapper>();
    for (List<String> row : Words.rows(table)) {
      var refused = new Refused(row.get(4), Words.list(row.get(5)), row.get(6));
      int operands = Integer.parseInt(row.get(1));
      var wrapper = new Wrapper(row.get(2), Words.list(row.get(3)), operands, refused);
      Words.list(row.get(0)).forEach(program -> all.put(program, wrapper));
    }
    return Map.copyOf(all);
  }

  /** The texts in whose place {@code xargs} with these options puts what it reads. */
  static List<String> replaced(List<String> options) {
    var texts = new ArrayList<String>();
    for (int i = 0; i < options.size(); i++) {
      String word = options.get(i);
      String next = i + 1 < options.size() ? options.get(i + 1) : "";
      if (CommandWords.means(word, "replace")) {
        texts.add(word.indexOf('=') < 0 ? "{}" : word.substring(word.indexOf('=') + 1));
      } else if (CommandWords.hasShort(word, "I", "adEeiLlnPs")) {
        String rest = word.substring(word.indexOf('I') + 1);
        texts.add(rest.isEmpty() ? next : rest);
      } else if (CommandWords.hasShort(word, "i", "adEeILlnPs")) {
        String rest = word.substring(word.indexOf('i') + 1);
        texts.add(rest.isEmpty() ? "{}" : rest);
      }
    }
    return texts;
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
