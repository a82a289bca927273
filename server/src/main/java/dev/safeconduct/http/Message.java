package dev.safeconduct.http;

import java.util.List;

/** A page that only shows a message and where to go next; {@code page/message.jte}. */
public record Message(String title, String text, List<Link> links) {
  public Message {
    links = List.copyOf(links);
  }

  /** A link, as a path on this server or an absolute address. */
  public record Link(String address, String text) {}
}
