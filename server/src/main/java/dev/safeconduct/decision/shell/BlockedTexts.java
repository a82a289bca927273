package dev.safeconduct.decision.shell;

import dev.safeconduct.decision.Limits;
import dev.safeconduct.decision.Reading;
import dev.safeconduct.text.Folding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The owner's and the DEFAULT texts that no command may contain (validators 4.3 and 4.4). */
final class BlockedTexts {
  static final String LIMIT = "blocked_patterns";

  private static final List<String> DEFAULTS =
      List.of("rm -rf", "sudo", "doas", "pkexec", "chmod 777", "dd if=", "mkfs");
  private static final Set<String> OPEN_MODES =
      Set.of("777", "0777", "a+rwx", "ugo+rwx", "a=rwx", "ugo=rwx");

  private final List<String> texts;

  /** Returns the texts of these limits; a limit that is not a list counts as an empty list. */
  static BlockedTexts of(Limits limits) {
    return new BlockedTexts(
        limits.list(LIMIT) instanceof Reading.Present<List<String>>(List<String> owner)
            ? owner
            : List.of(),
        limits.grants("disable_default_blocks"));
  }

  BlockedTexts(List<String> owner, boolean lifted) {
    texts = new ArrayList<>(lifted ? List.of() : DEFAULTS);
    for (String text : owner) {
      String folded = Folding.fold(text);
      if (!folded.isEmpty()) {
        texts.add(folded);
      }
    }
  }

  /** Finds a blocked text in the line, independent of quoting and the spelling of flags. */
  Optional<String> find(CommandLine line) {
    if (texts.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> found = within(line.text());
    for (Segment segment : line.all()) {
      if (found.isEmpty()) {
        String text = Folding.fold(segment.text());
        found = text.equals(line.text()) ? found : within(text);
      }
      if (found.isEmpty()) {
        found = canonical(segment.words()).flatMap(text -> within(Folding.fold(text)));
      }
    }
    return found;
  }

  private Optional<String> within(String text) {
    for (String blocked : texts) {
      if (text.contains(blocked)) {
        return Optional.of(blocked);
      }
    }
    return Optional.empty();
  }

  /** Returns the segment in canonical spelling, from the first word that has one (T3). */
  static Optional<String> canonical(List<String> words) {
    var following = new Following(words, new RootSet(""));
    Optional<String> canonical = Optional.empty();
    int place = -1;
    for (int i = words.size() - 1; i >= 0; i--) {
      switch (CommandWords.base(words.get(i))) {
        case "rm" -> place = following.recursive() && following.forced() ? i : place;
        case "chmod" -> place = OPEN_MODES.contains(following.firstOperand()) ? i : place;
        case "dd" -> {
          if (!following.inputFile().isEmpty()) {
            place = i;
            canonical = Optional.of("dd " + following.inputFile());
          }
        }
        default -> {}
      }
      following.include(i);
    }
    if (place < 0 || CommandWords.base(words.get(place)).equals("dd")) {
      return canonical;
    }
    List<String> operands = CommandWords.operands(words, place);
    return CommandWords.base(words.get(place)).equals("rm")
        ? Optional.of("rm -rf " + String.join(" ", operands))
        : Optional.of("chmod 777 " + String.join(" ", operands.subList(1, operands.size())));
  }
}
