package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.path.LexicalPath;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Patterns that no passport can allow: K1 to K9 of validators section 4.4. */
final class CorePatterns {
  private static final Set<String> SOURCES =
      Set.of("curl", "wget", "fetch", "aria2c", "telnet", "base64", "xxd", "uudecode", "openssl");
  private static final Set<String> READERS = Set.of("eval", "source", ".");
  private static final List<String> OPENERS = List.of("$(", "`", "<(");
  private static final List<String> DOWNLOADERS = List.of("curl", "wget", "fetch");

  private static final Set<String> OWNERSHIP = Set.of("chmod", "chown", "chgrp");
  private static final Set<String> FORMATTERS = Set.of("mkfs", "wipefs", "mke2fs");
  private static final Set<String> NETCATS =
      Set.of("nc", "ncat", "netcat", "nc.traditional", "nc.openbsd");
  private static final Set<String> FINDERS = Set.of("-exec", "-execdir", "-ok", "-okdir");

  private static final Set<String> WRITERS =
      Set.of("tee", "cp", "mv", "install", "shred", "truncate");
  private static final String REMOVES = "removes a root or home directory";
  private static final String DEVICE = "writes to a device";

  private final CommandLine line;
  private final RootSet rootSet;

  private CorePatterns(CommandLine line, String cwd) {
    this.line = line;
    rootSet = new RootSet(cwd);
  }

  /**
   * Returns a description of the pattern that the line matches, or empty without a match.
   *
   * @param cwd the directory in which the line runs; empty if it is not known
   */
  static Optional<String> find(CommandLine line, String cwd) {
    return new CorePatterns(line, cwd).find();
  }

  private Optional<String> find() {
    boolean inRoot = false;
    for (int i = 0; i < line.all().size(); i++) {
      Segment segment = line.all().get(i);
      Optional<String> found = inSegment(segment, inRoot);
      if (found.isPresent()) {
        return found;
      }
      inRoot |=
          i < line.topLevel().size()
              && (segment.commandWord().equals("cd") || segment.commandWord().equals("pushd"))
              && rootSet.containsAny(segment.operands());
    }
    if (CoreTexts.writesDevice(line.text())) {
      return Optional.of(DEVICE);
    }
    if (CoreTexts.forksForever(line.text())) {
      return Optional.of("starts itself without end");
    }
    if (CoreTexts.opensSocket(line.text())) {
      return Optional.of("opens a network connection");
    }
    return downloadsAndRuns(line)
        ? Optional.of("feeds downloaded or decoded text to an interpreter")
        : Optional.empty();
  }

  private Optional<String> inSegment(Segment segment, boolean inRoot) {
    List<String> words = segment.words();
    String command = segment.commandWord();
    if (FORMATTERS.contains(command) || command.startsWith("mkfs.")) {
      return Optional.of("formats a device");
    }
    if (NETCATS.contains(command)
        || (command.equals("socat") && runsProgram(words))
        || opensSocket(words)) {
      return Optional.of("opens a network connection");
    }
    if (command.equals("find") && (findRemoves(words) || findDeletes(segment))) {
      return Optional.of("removes whatever find comes across");
    }
    if (writesDevice(segment)) {
      return Optional.of(DEVICE);
    }
    return byWord(words, inRoot);
  }

  /** K1 to K3, which look at every word that names a program. */
  private Optional<String> byWord(List<String> words, boolean inRoot) {
    var following = new Following(words, rootSet);
    boolean copies = false;
    for (int i = words.size() - 1; i >= 0; i--) {
      String base = CommandWords.base(words.get(i));
      if (base.equals("rm")
          && following.recursive()
          && (following.hasRoot()
              || following.rootUnguarded()
              || (inRoot && following.hasEverything()))) {
        return Optional.of(REMOVES);
      }
      if (OWNERSHIP.contains(base)
          && following.capitalRecursive()
          && following.hasRootAfterFirst()) {
        return Optional.of("changes the rights of a root or home directory");
      }
      copies |= base.equals("dd");
      following.include(i);
    }
    return copies && words.stream().anyMatch(CorePatterns::isDeviceFile)
        ? Optional.of("copies from or to a device")
        : Optional.empty();
  }

  private static boolean opensSocket(List<String> words) {
    for (String word : words) {
      if (CoreTexts.opensSocket(word)) {
        return true;
      }
    }
    return false;
  }

  private static boolean writesDevice(Segment segment) {
    for (int place : Redirections.targetWords(segment.words())) {
      if (Redirections.isDevice(Redirections.target(segment.words().get(place)))) {
        return true;
      }
    }
    return WRITERS.contains(segment.commandWord())
        && segment.operands().stream().anyMatch(Redirections::isDevice);
  }

  /** K3: {@code if=} or {@code of=} with a path below {@code /dev}. */
  private static boolean isDeviceFile(String word) {
    return (word.startsWith("if=/") || word.startsWith("of=/"))
        && LexicalPath.normalise(word.substring("if=".length())).startsWith("/dev/")
        && !word.equals("of=/dev/null");
  }

  private boolean findDeletes(Segment segment) {
    return segment.words().contains("-delete") && rootSet.containsAny(segment.operands());
  }

  private static boolean findRemoves(List<String> words) {
    for (int i = 0; i + 1 < words.size(); i++) {
      if (FINDERS.contains(words.get(i)) && CommandWords.base(words.get(i + 1)).equals("rm")) {
        return true;
      }
    }
    return false;
  }

  private static boolean runsProgram(List<String> words) {
    for (String word : words) {
      String lower = word.toLowerCase(Locale.ROOT);
      if (CoreTexts.hasWord(lower, "exec:") || CoreTexts.hasWord(lower, "system:")) {
        return true;
      }
    }
    return false;
  }

  /** K7 of validators section 4.4: text from elsewhere runs as a program. */
  private static boolean downloadsAndRuns(CommandLine line) {
    return inPipeline(line.all()) || (hasRunner(line.all()) && substitutesDownload(line.text()));
  }

  private static boolean inPipeline(List<Segment> segments) {
    int fed = -1;
    for (Segment segment : segments) {
      if (segment.pipeline() == fed && CommandWords.isInterpreter(segment.commandWord())) {
        return true;
      }
      if (SOURCES.contains(segment.commandWord())) {
        fed = segment.pipeline();
      }
    }
    return false;
  }

  private static boolean hasRunner(List<Segment> segments) {
    for (Segment segment : segments) {
      String command = segment.commandWord();
      if (CommandWords.isInterpreter(command) || READERS.contains(command)) {
        return true;
      }
    }
    return false;
  }

  private static boolean substitutesDownload(String text) {
    for (String opener : OPENERS) {
      for (int at = text.indexOf(opener); at >= 0; at = text.indexOf(opener, at + 1)) {
        int start = at + opener.length();
        if (startsWithDownloader(text, text.startsWith(" ", start) ? start + 1 : start)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean startsWithDownloader(String text, int start) {
    for (String program : DOWNLOADERS) {
      int end = start + program.length();
      if (text.startsWith(program, start)
          && (end == text.length() || !CoreTexts.isWordCharacter(text.charAt(end)))) {
        return true;
      }
    }
    return false;
  }
}
