package dev.safeconduct.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides what a file says with the hook and without it. */
final class HookInstaller {
  private HookInstaller() {}

  /** A new text for a file; an empty {@code after} removes it. */
  record Change(ConfigFile file, Optional<String> original, Optional<String> after) {
    /** Returns the difference of the file's text and its new text. */
    String diff() {
      return UnifiedDiff.of(file.path().toString(), file.text().orElse(""), after.orElse(""));
    }

    /**
     * Writes the new text, and the original as a backup.
     *
     * @throws HookFault when that fails
     */
    void write() throws HookFault {
      if (after.isEmpty() || after.equals(original)) {
        file.restore(original.orElse(null));
      } else {
        file.write(after.get(), original.orElse(null));
      }
    }
  }

  /**
   * Returns the changes that put the hook into these files; none where it stands already.
   *
   * @throws HookFault when a file is not valid; then no file is to be written
   */
  static List<Change> install(List<HookPlaces.Found> files, String command) throws HookFault {
    var changes = new ArrayList<Change>();
    for (HookPlaces.Found each : files) {
      try {
        if (!each.format().holds(each.file().text().orElse(""), command)) {
          Optional<String> original = original(each);
          String after = each.format().add(original.orElse(""), command);
          changes.add(new Change(each.file(), original, Optional.of(after)));
        }
      } catch (HookFault e) {
        throw new HookFault(each.file().path() + " is left as it is: " + e.text());
      }
    }
    return changes;
  }

  /**
   * Returns the changes that take the hook out of these files; none where it does not stand.
   *
   * @throws HookFault when a file is not valid; then no file is to be written
   */
  static List<Change> uninstall(List<HookPlaces.Found> files) throws HookFault {
    var changes = new ArrayList<Change>();
    for (HookPlaces.Found each : files) {
      try {
        Optional<String> original = original(each);
        if (!original.equals(each.file().text())) {
          changes.add(new Change(each.file(), original, original));
        }
      } catch (HookFault e) {
        throw new HookFault(each.file().path() + " is left as it is: " + e.text());
      }
    }
    return changes;
  }

  /**
   * Returns the text without the hook: the backup if nothing else has changed since, else the text
   * without the hook's entries; empty if there was no file.
   */
  private static Optional<String> original(HookPlaces.Found in) throws HookFault {
    String text = in.file().text().orElse("");
    HookFormat format = in.format();
    List<String> commands = format.commands(text);
    if (text.isEmpty() || (commands.isEmpty() && format.hasCommand())) {
      return in.file().text();
    }
    String command = commands.isEmpty() ? "" : commands.getFirst();
    Optional<String> backup = in.file().backup();
    if (backup.isPresent()) {
      boolean unchanged =
          format.commands(backup.get()).isEmpty() && format.add(backup.get(), command).equals(text);
      return unchanged ? backup : Optional.of(format.strip(text));
    }
    String rest = format.strip(text);
    boolean made =
        format.add("", command).equals(text) || (!rest.equals(text) && format.isBare(rest));
    return made ? Optional.empty() : Optional.of(rest);
  }
}
