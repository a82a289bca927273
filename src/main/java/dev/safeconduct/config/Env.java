package dev.safeconduct.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The environment as typed values. A value that does not fit is noted, its default is returned in
 * its place, and {@link #check} throws once with everything that was noted.
 *
 * <p>An empty or blank variable counts as absent: compose files and service units set those.
 */
public final class Env {
  /** Names the file of settings; the one name that cannot stand in it. */
  private static final String FILE = "CONFIG_FILE";

  private final Map<String, String> variables;
  private final Set<String> inFile;
  private final Set<String> asked = new TreeSet<>();
  private final List<String> faults = new ArrayList<>();

  public Env(Map<String, String> variables) {
    this(variables, Set.of());
  }

  private Env(Map<String, String> variables, Set<String> inFile) {
    this.variables = Map.copyOf(variables);
    this.inFile = Set.copyOf(inFile);
  }

  /**
   * The environment, and beneath it the settings of the YAML file that {@code CONFIG_FILE} names: a
   * variable that is set wins.
   *
   * @throws ConfigFault when there is such a file and it is no file of settings
   */
  public static Env of(Map<String, String> environment) {
    var outside = new Env(environment);
    Optional<String> file = outside.string(FILE);
    if (file.isEmpty()) {
      return outside;
    }
    Map<String, String> settings = SettingsFile.read(Path.of(file.get()));
    var all = new HashMap<>(settings);
    environment.forEach((name, value) -> {
      if (!value.isBlank()) {
        all.put(name, value);
      }
    });
    return new Env(all, settings.keySet());
  }

  /** The same, but for one value. */
  public Env with(String name, String value) {
    var all = new HashMap<>(variables);
    all.put(name, value);
    return new Env(all, inFile);
  }

  /** The names that were asked for so far. */
  public Set<String> asked() {
    return Set.copyOf(asked);
  }

  /** Call when every setting there is has been read: the file may hold no other name. */
  public void refuseUnknown() {
    inFile.stream()
        .filter(name -> !asked.contains(name))
        .sorted()
        .forEach(name -> fault(name, "in the file of settings is no setting"));
  }

  public Optional<String> string(String name) {
    return Optional.ofNullable(value(name));
  }

  public String string(String name, String fallback) {
    return string(name).orElse(fallback);
  }

  /** A secret of at least {@code minLength} characters. */
  public Optional<Secret> secret(String name, int minLength) {
    String text = value(name);
    if (text == null) {
      return Optional.empty();
    }
    if (text.length() < minLength) {
      fault(name, "must have at least " + minLength + " characters");
      return Optional.empty();
    }
    return Optional.of(new Secret(text));
  }

  /** Exactly {@code true} or {@code false}: anything else could mean either. */
  public boolean bool(String name, boolean fallback) {
    return switch (value(name)) {
      case null -> fallback;
      case "true" -> true;
      case "false" -> false;
      default -> {
        fault(name, "must be true or false");
        yield fallback;
      }
    };
  }

  public int integer(String name, int fallback, int min, int max) {
    return (int) number(name, fallback, min, max, "a whole number");
  }

  /** A size in bytes, written as digits only. */
  public long bytes(String name, long fallback, long min, long max) {
    return number(name, fallback, min, max, "a number of bytes");
  }

  /** A duration; the variable's name ends in {@code _MS} and its value counts milliseconds. */
  public Duration millis(String name, Duration fallback, Duration min, Duration max) {
    return Duration.ofMillis(
        number(
            name, fallback.toMillis(), min.toMillis(), max.toMillis(), "a number of milliseconds"));
  }

  /**
   * An absolute http or https address without user info, query or fragment; no slash at its end.
   */
  public Optional<URI> webAddress(String name) {
    String text = value(name);
    if (text == null) {
      return Optional.empty();
    }
    try {
      URI uri = new URI(text.replaceAll("/+$", ""));
      String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
      if ((scheme.equals("http") || scheme.equals("https"))
          && uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null) {
        return Optional.of(uri);
      }
    } catch (URISyntaxException _) {
      // Falls through: both kinds of bad address get the same sentence.
    }
    fault(name, "must be an absolute http or https address without user, query or fragment");
    return Optional.empty();
  }

  /** Parts between commas, trimmed; empty parts are dropped. */
  public List<String> list(String name) {
    String text = value(name);
    return text == null
        ? List.of()
        : Arrays.stream(text.split(",", -1)).map(String::strip).filter(p -> !p.isEmpty()).toList();
  }

  /** Notes a fault that only the reader of the value can see. */
  public void fault(String name, String what) {
    faults.add(name + " " + what + ".");
  }

  /**
   * Call when everything has been read.
   *
   * @throws ConfigFault listing every fault, when there is one
   */
  public void check() {
    if (!faults.isEmpty()) {
      throw new ConfigFault(faults);
    }
  }

  private long number(String name, long fallback, long min, long max, String what) {
    String text = value(name);
    if (text == null) {
      return fallback;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException _) {
      // Falls through: the sentence below says what would fit.
    }
    fault(name, "must be " + what + " from " + min + " to " + max);
    return fallback;
  }

  private @Nullable String value(String name) {
    asked.add(name);
    String text = variables.get(name);
    return text == null || text.isBlank() ? null : text.strip();
  }
}
