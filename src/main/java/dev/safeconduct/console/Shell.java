package dev.safeconduct.console;

import java.util.List;
import java.util.Optional;

/**
 * What stands around every page.
 *
 * @param title of the page
 * @param sections the pages this reader may open
 * @param csrf goes with every form
 * @param notice what the last form did
 * @param path where the reader is, to come back to
 */
public record Shell(
    String title,
    List<Section> sections,
    String csrf,
    Person person,
    Optional<Notice> notice,
    String path,
    Assets assets) {
  public Shell {
    sections = List.copyOf(sections);
  }

  /** Pages that belong together. */
  public record Section(String name, List<Link> links) {
    public Section {
      links = List.copyOf(links);
    }
  }

  /**
   * A page in the navigation.
   *
   * @param waiting how many things wait there for somebody; 0 for none
   */
  public record Link(String name, String path, boolean current, int waiting) {}

  /**
   * Who reads.
   *
   * @param places the organizations they can move to
   */
  public record Person(String email, String role, String orgId, String org, List<Place> places) {
    public Person {
      places = List.copyOf(places);
    }
  }

  /** An organization the reader is a member of. */
  public record Place(String orgId, String name, boolean current) {}

  /** What happened, in one sentence. */
  public record Notice(boolean good, String text) {}

  /** Where the browser finds the stylesheet and the scripts. */
  public record Assets(String css, String script, String htmx) {}
}
