package dev.safeconduct.decision.shell;

import java.util.List;
import java.util.Set;

/** K7 of validators section 4.4: text from elsewhere runs as a program. */
final class DownloadAndRun {
  private static final Set<String> SOURCES =
      Set.of("curl", "wget", "fetch", "aria2c", "telnet", "base64", "xxd", "uudecode", "openssl");
  private static final Set<String> READERS = Set.of("eval", "source", ".");
  private static final List<String> OPENERS = List.of("$(", "`", "<(");
  private static final List<String> DOWNLOADERS = List.of("curl", "wget", "fetch");

  private DownloadAndRun() {}

  static boolean found(CommandLine line) {
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
