package dev.safeconduct.http;

import java.util.List;
import java.util.Optional;

/**
 * A page that only shows a message and where to go next; {@code page/message.jte}.
 *
 * @param onward the address to which the browser goes on by itself
 */
public record Message(String title, String text, List<Link> links, Optional<String> onward) {
  public Message(String title, String text, List<Link> links) {
    this(title, text, links, Optional.empty());
  }

  public Message {
    links = List.copyOf(links);
  }

  /** A link, as a path on this server or an absolute address. */
  public record Link(String address, String text) {}
}
