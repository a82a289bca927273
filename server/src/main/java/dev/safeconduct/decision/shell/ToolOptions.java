package dev.safeconduct.decision.shell;

import dev.safeconduct.text.Words;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Options by which a listed tool runs programs or changes files (validators section 4.8). */
final class ToolOptions {
  /**
   * What one tool must not be given.
   *
   * @param words whole words
   * @param options long options, abbreviations included
   * @param letters short options
   * @param valued short options that take a value
   */
  private record Denied(Set<String> words, List<String> options, String letters, String valued) {
    boolean hits(String word) {
      return words.contains(word)
          || CommandWords.hasShort(word, letters, valued)
          || CommandWords.meansAny(word, options);
    }
  }

  /** Tools | words | options | letters | valued. */
  private static final Map<String, Denied> TOOLS =
      read(
          """
          git | | config config-env upload-pack receive-pack exec extcmd open-files-in-pager | |
          find | -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls -delete | | |
          tar bsdtar gtar | | checkpoint-action to-command use-compress-program info-script \
            new-volume-script rsh-command rmt-command | IF | bCfgHKLNTVX
          ssh scp sftp | | | FS | bBcDeEiIJlLmoOpPQRwW
          rsync | | rsh rsync-path | e | BfMT
          sort | | compress-program | |
          split | | filter | |
          zip | -TT | unzip-command | |
          go | -exec -toolexec -vettool --exec --toolexec --vettool | | |
          cargo | | config | |
          make | | eval | |
          mapfile readarray | | | C | cdnOsu
          man | | pager html | PH | CeELmMprRsST
          curl | | config | K | AbcCdDeEFHmoPQrtTuUwxXyYz
          wget | | execute use-askpass | e | aABDiIloOPQRtTUwX
          """);

  private static final Denied TAR = Objects.requireNonNull(TOOLS.get("tar"));
  private static final Denied SSH = Objects.requireNonNull(TOOLS.get("ssh"));
  private static final Denied GO = Objects.requireNonNull(TOOLS.get("go"));

  private static final Set<String> AWKS = Set.of("awk", "gawk", "mawk", "nawk");
  private static final List<String> SSH_SETTINGS =
      List.of("proxycommand", "localcommand", "knownhostscommand", "pkcs11provider");

  private static final Set<String> GIT_VALUES =
      Set.of("-C", "--git-dir", "--work-tree", "--namespace", "--attr-source", "--super-prefix");
  private static final Set<String> GIT_RUNNERS =
      Set.of("filter-branch", "difftool", "mergetool", "daemon", "instaweb", "upload-archive");
  private static final List<String> GIT_SETTINGS =
      Words.list(
          """
          alias. core. credential. diff. filter. gpg. include. includeif. init. interactive.
          man. merge. mergetool. difftool. pager. protocol. remote. sequence. submodule.
          uploadpack. url.
          """);

  private ToolOptions() {}

  /** Returns the first word that makes the command run a program or change files. */
  static Optional<String> find(SimpleCommand command) {
    String tool = command.program();
    List<String> words = command.arguments();
    Denied denied = TOOLS.get(tool);
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      boolean hit =
          AWKS.contains(tool)
              ? runsFromAwk(word)
              : denied != null
                  && (denied.hits(word)
                      || (TAR.equals(denied) && i == 0 && isTarCluster(word))
                      || (SSH.equals(denied) && holdsSetting(word))
                      || (GO.equals(denied) && GO.words.contains(word.split("=", 2)[0])));
      // Tar knows --checkpoint for itself: it is no abbreviation of --checkpoint-action.
      if (hit && !(TAR.equals(denied) && word.split("=", 2)[0].equals("--checkpoint"))) {
        return Optional.of(word);
      }
    }
    return tool.equals("git") ? inGit(words) : Optional.empty();
  }

  private static Optional<String> inGit(List<String> words) {
    int at = 0;
    while (at < words.size() && words.get(at).startsWith("-")) {
      if (words.get(at).startsWith("-c")) {
        return Optional.of(words.get(at));
      }
      at += GIT_VALUES.contains(words.get(at)) ? 2 : 1;
    }
    String subcommand = at < words.size() ? words.get(at) : "";
    if (GIT_RUNNERS.contains(subcommand)) {
      return Optional.of(subcommand);
    }
    for (int i = 0; i < words.size(); i++) {
      if (isDeniedInGit(subcommand, words.get(i), i > at, i + 1 == words.size())) {
        return Optional.of(words.get(i));
      }
    }
    return Optional.empty();
  }

  private static boolean isDeniedInGit(
      String subcommand, String word, boolean behind, boolean last) {
    if (word.contains("ext::")
        || (CommandWords.means(word, "exec-path") && word.indexOf('=') > 0)) {
      return true;
    }
    return behind
        && switch (subcommand) {
          case "bisect" -> word.equals("run");
          case "submodule" -> word.equals("foreach");
          case "rebase" -> CommandWords.hasShort(word, "x", "CsSX");
          case "grep" -> CommandWords.hasShort(word, "O", "ABCefm");
          case "clone" -> CommandWords.hasShort(word, "cu", "bjo");
          case "config" -> !last && startsWithAny(word.toLowerCase(Locale.ROOT), GIT_SETTINGS);
          default -> false;
        };
  }

  private static boolean startsWithAny(String word, List<String> starts) {
    return starts.stream().anyMatch(word::startsWith);
  }

  /** Tar reads its first word as a cluster even without {@code -}, and values come afterwards. */
  private static boolean isTarCluster(String word) {
    return !word.startsWith("-") && CommandWords.hasShort("-" + word, TAR.letters, "");
  }

  private static boolean holdsSetting(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    return SSH_SETTINGS.stream().anyMatch(lower::contains);
  }

  private static boolean runsFromAwk(String word) {
    String dense = word.replace(" ", "");
    return dense.contains("system(") || dense.contains("|") || dense.contains("getline");
  }

  private static Map<String, Denied> read(String table) {
    var all = new HashMap<String, Denied>();
    for (List<String> row : Words.rows(table)) {
      Set<String> words = Set.copyOf(Words.list(row.get(1)));
      var denied = new Denied(words, Words.list(row.get(2)), row.get(3), row.get(4));
      Words.list(row.get(0)).forEach(tool -> all.put(tool, denied));
    }
    return Map.copyOf(all);
  }
}
