package dev.safeconduct.documentation;

import java.util.List;

/**
 * The operations of one tag, a page of the reference.
 *
 * @param name the tag, as in the page's address
 * @param about what they have in common, as HTML
 */
public record Section(String name, String about, List<Operation> operations) {
  public Section {
    operations = List.copyOf(operations);
  }
}
