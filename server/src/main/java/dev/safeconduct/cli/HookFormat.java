package dev.safeconduct.cli;

import java.util.List;

/** A text in which an agent's hooks stand. The methods take and return whole texts. */
interface HookFormat {
  /**
   * Adds the hook to a text without it; an empty text becomes a new document.
   *
   * @throws HookFault when the text is not valid or holds something else at that place
   */
  String add(String text, String command) throws HookFault;

  /**
   * Takes this agent's hook out, whatever its command line; other hooks stay.
   *
   * @throws HookFault when the text is not valid
   */
  String strip(String text) throws HookFault;

  /**
   * Returns whether the text holds exactly what {@link #add} writes.
   *
   * @throws HookFault when the text is not valid
   */
  boolean holds(String text, String command) throws HookFault;

  /**
   * Returns the command lines of this agent's hook.
   *
   * @throws HookFault when the text is not valid
   */
  List<String> commands(String text) throws HookFault;

  /** Whether {@link #add} writes a command line; else the file only accompanies another. */
  boolean hasCommand();

  /** Whether the text says nothing that {@link #add} did not write beside the hook. */
  boolean isBare(String text) throws HookFault;
}
