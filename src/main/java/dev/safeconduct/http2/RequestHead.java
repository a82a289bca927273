package dev.safeconduct.http2;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request starts with, checked as RFC 9113 sections 8.2 and 8.3 want it.
 *
 * @param path as it was sent, with the query
 * @param authority of {@code :authority}, else of {@code Host}
 * @param fields all others, in their order; cookies are one field again (section 8.2.3)
 * @param declaredLength {@code Content-Length}, or -1
 * @param complete false when there were more fields than fit: nothing else of it can be relied on
 */
public record RequestHead(
    String method,
    String path,
    String authority,
    List<Field> fields,
    long declaredLength,
    boolean complete) {
  private static final Set<String> PSEUDO = Set.of(":method", ":scheme", ":path", ":authority");
  private static final Set<String> OF_A_CONNECTION =
      Set.of("connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade");
  private static final int MAX_DIGITS = 18;

  public RequestHead {
    fields = List.copyOf(fields);
  }

  /** The head these fields make, or nothing: then the request is malformed (section 8.1.1). */
  static Optional<RequestHead> of(FieldDecoder.Fields sent) {
    var reading = new Reading();
    for (Field field : sent.list()) {
      if (!reading.take(field)) {
        return Optional.empty();
      }
    }
    return sent.complete()
        ? reading.finish()
        : Optional.of(
            new RequestHead(
                reading.pseudo.getOrDefault(":method", "GET"),
                reading.pseudo.getOrDefault(":path", "/"),
                "",
                List.of(),
                -1,
                false));
  }

  /** Whether these may follow a body: no field of a head is among them (section 8.1). */
  static boolean areTrailers(FieldDecoder.Fields sent) {
    return sent.list().stream()
        .allMatch(field ->
            isToken(field.name(), false)
                && isValue(field.value())
                && !OF_A_CONNECTION.contains(field.name()));
  }

  /** The value of the first field of that name. */
  public Optional<String> first(String name) {
    return fields.stream().filter(field -> field.name().equals(name)).map(Field::value).findFirst();
  }

  private static final class Reading {
    private final List<Field> fields = new ArrayList<>();
    private final Map<String, String> pseudo = new HashMap<>();
    private @Nullable String cookie;
    private long length = -1;
    private boolean regular;

    private boolean take(Field field) {
      if (!isValue(field.value())) {
        return false;
      }
      return field.name().startsWith(":") ? takePseudo(field) : takeRegular(field);
    }

    private boolean takePseudo(Field field) {
      String value = field.value();
      if (regular || value.isEmpty() || !PSEUDO.contains(field.name())) {
        return false;
      }
      return pseudo.put(field.name(), value) == null;
    }

    private boolean takeRegular(Field field) {
      regular = true;
      String name = field.name();
      String value = field.value();
      if (!isToken(name, false) || OF_A_CONNECTION.contains(name)) {
        return false;
      }
      return switch (name) {
        case "te" -> value.equals("trailers");
        case "host" -> pseudo.put(name, value) == null;
        case "cookie" -> {
          cookie = cookie == null ? value : cookie + "; " + value;
          yield true;
        }
        case "content-length" -> length < 0 && isLength(value) && keep(field);
        default -> keep(field);
      };
    }

    private boolean isLength(String value) {
      boolean digits = value.chars().allMatch(c -> c >= '0' && c <= '9');
      if (!digits || value.isEmpty() || value.length() > MAX_DIGITS) {
        return false;
      }
      length = Long.parseLong(value);
      return true;
    }

    private boolean keep(Field field) {
      fields.add(field);
      return true;
    }

    private Optional<RequestHead> finish() {
      String method = pseudo.getOrDefault(":method", "");
      String path = pseudo.getOrDefault(":path", "");
      String host = pseudo.getOrDefault("host", "");
      String to = pseudo.getOrDefault(":authority", host);
      boolean one = host.isEmpty() || to.equalsIgnoreCase(host);
      boolean rooted = path.startsWith("/") || (path.equals("*") && method.equals("OPTIONS"));
      boolean schemed = pseudo.containsKey(":scheme");
      if (!one || !rooted || !schemed || to.isEmpty() || to.indexOf('@') >= 0) {
        return Optional.empty();
      }
      if (!isToken(method, true) || method.equals("CONNECT")) {
        return Optional.empty();
      }
      if (cookie != null) {
        fields.add(new Field("cookie", cookie));
      }
      return Optional.of(
          new RequestHead(method, path, to.toLowerCase(Locale.ROOT), fields, length, true));
    }
  }

  /** RFC 9110 section 5.6.2; names of fields have no capitals. */
  private static boolean isToken(String text, boolean capitals) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (capitals && c >= 'A' && c <= 'Z');
      if (!letter && !(c >= '0' && c <= '9') && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  private static boolean isValue(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f) {
        return false;
      }
    }
    return text.equals(text.strip());
  }
}
