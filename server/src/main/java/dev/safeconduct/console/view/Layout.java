package dev.safeconduct.console.view;

import java.util.List;
import java.util.Optional;

/**
 * The frame of every page.
 *
 * @param title the page's title
 * @param sections the pages that this reader may open
 * @param csrf the token that every form sends
 * @param notice the result of the last form
 * @param state what applies to the organization's agents beside their passports
 */
public record Layout(
    String title,
    List<Section> sections,
    String csrf,
    Person person,
    Optional<Notice> notice,
    State state,
    Assets assets) {
  /**
   * What applies to all agents, as sentences.
   *
   * @param halted that they are halted
   * @param observed that some or all are in observe mode
   */
  public record State(Optional<String> halted, Optional<String> observed) {}

  /** A group of pages in the navigation. */
  public record Section(String name, List<Link> links) {}

  /**
   * A page in the navigation.
   *
   * @param waiting the number of items that need the reader's attention; 0 for none
   */
  public record Link(String name, String path, boolean current, int waiting) {}

  /**
   * The reader.
   *
   * @param places the organizations that the reader can switch to
   */
  public record Person(String email, String role, String org, List<Place> places) {}

  /** An organization the reader is a member of. */
  public record Place(String orgId, String name, boolean current) {}

  /** The result of the last form, in one sentence. */
  public record Notice(boolean good, String text) {}

  /** The URLs of the stylesheet, the scripts and the icon. */
  public record Assets(String css, String script, String htmx, String icon) {}
}
