package dev.safeconduct.decision.shell;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Patterns that no passport can allow: K1 to K9 of validators section 4.4. */
final class CorePatterns {
  private static final Set<String> OWNERSHIP = Set.of("chmod", "chown", "chgrp");
  private static final Set<String> FORMATTERS = Set.of("mkfs", "wipefs", "mke2fs");
  private static final Set<String> NETCATS =
      Set.of("nc", "ncat", "netcat", "nc.traditional", "nc.openbsd");
  private static final Set<String> FINDERS = Set.of("-exec", "-execdir", "-ok", "-okdir");

  private CorePatterns() {}

  /** Returns a description of the pattern that the line matches, or empty without a match. */
  static Optional<String> find(CommandLine line) {
    for (Segment segment : line.all()) {
      Optional<String> found = inSegment(segment);
      if (found.isPresent()) {
        return found;
      }
    }
    if (CoreTexts.writesDevice(line.text())) {
      return Optional.of("writes to a device");
    }
    if (CoreTexts.forksForever(line.text())) {
      return Optional.of("starts itself without end");
    }
    if (CoreTexts.opensSocket(line.text())) {
      return Optional.of("opens a network connection");
    }
    return DownloadAndRun.found(line)
        ? Optional.of("feeds downloaded or decoded text to an interpreter")
        : Optional.empty();
  }

  private static Optional<String> inSegment(Segment segment) {
    List<String> words = segment.words();
    String command = segment.commandWord();
    if (FORMATTERS.contains(command) || command.startsWith("mkfs.")) {
      return Optional.of("formats a device");
    }
    if (NETCATS.contains(command) || (command.equals("socat") && runsProgram(words))) {
      return Optional.of("opens a network connection");
    }
    if (command.equals("find") && findRemoves(words)) {
      return Optional.of("removes whatever find comes across");
    }
    var following = new Following(words);
    boolean copies = false;
    for (int i = words.size() - 1; i >= 0; i--) {
      String base = CommandWords.base(words.get(i));
      if (base.equals("rm")
          && following.recursive()
          && (following.hasRoot() || following.rootUnguarded())) {
        return Optional.of("removes a root or home directory");
      }
      if (OWNERSHIP.contains(base)
          && following.capitalRecursive()
          && following.hasRootAfterFirst()) {
        return Optional.of("changes the rights of a root or home directory");
      }
      copies |= base.equals("dd");
      following.include(i);
    }
    return copies && copiesDevice(words)
        ? Optional.of("copies from or to a device")
        : Optional.empty();
  }

  private static boolean copiesDevice(List<String> words) {
    for (String word : words) {
      if (word.startsWith("if=/dev/")
          || (word.startsWith("of=/dev/") && !word.equals("of=/dev/null"))) {
        return true;
      }
    }
    return false;
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
}
