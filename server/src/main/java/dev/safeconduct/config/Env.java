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
 * The environment as typed values. For a value that is not valid, a fault is recorded and the
 * default is returned; {@link #check} throws once with all recorded faults.
 *
 * <p>An empty or blank variable counts as absent: compose files and service units set those.
 */
public final class Env {
  /** The variable that names the settings file; the file itself must not contain it. */
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
   * Returns the environment, with the settings of the YAML file that {@code CONFIG_FILE} names as
   * defaults. A variable that is set takes precedence over the file.
   *
   * @throws ConfigFault when {@code CONFIG_FILE} is set and the file is not a valid settings file
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

  /**
   * Returns the settings of this process; no other code reads its environment.
   *
   * @throws ConfigFault when the settings file cannot be read
   */
  public static Env ofProcess() {
    return of(System.getenv());
  }

  /** Returns a copy with one value replaced. */
  public Env with(String name, String value) {
    var all = new HashMap<>(variables);
    all.put(name, value);
    return new Env(all, inFile);
  }

  /** Returns the names of all settings that were read so far. */
  public Set<String> asked() {
    return Set.copyOf(asked);
  }

  /**
   * Records a fault for every unknown name in the file. Call it after every setting has been read.
   */
  public void refuseUnknown() {
    inFile.stream()
        .filter(name -> !asked.contains(name))
        .sorted()
        .forEach(name -> fault(name, "in the file of settings is not a setting"));
  }

  /**
   * Records a fault for every variable with this beginning that was not read: it would have no
   * effect. Call it after every such setting has been read.
   */
  public void refuseUnknown(String beginning, String what) {
    variables.keySet().stream()
        .filter(name -> name.startsWith(beginning) && !asked.contains(name))
        .sorted()
        .forEach(name -> {
          asked.add(name); // so that it is named once
          fault(name, what);
        });
  }

  public Optional<String> string(String name) {
    return Optional.ofNullable(value(name));
  }

  public String string(String name, String fallback) {
    return string(name).orElse(fallback);
  }

  /** Returns a secret of at least {@code minLength} characters. */
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

  /** Returns exactly {@code true} or {@code false}; other spellings are ambiguous and a fault. */
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

  /** Returns a size in bytes, written as digits only. */
  public long bytes(String name, long fallback, long min, long max) {
    return number(name, fallback, min, max, "a number of bytes");
  }

  /**
   * Returns a duration; the variable's name ends in {@code _MS} and its value is in milliseconds.
   */
  public Duration millis(String name, Duration fallback, Duration min, Duration max) {
    return Duration.ofMillis(
        number(
            name, fallback.toMillis(), min.toMillis(), max.toMillis(), "a number of milliseconds"));
  }

  /**
   * Returns an absolute http or https address without user info, query, fragment or trailing slash.
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
      // Falls through: both kinds of invalid address get the same message.
    }
    fault(name, "must be an absolute http or https address without user, query or fragment");
    return Optional.empty();
  }

  /** Returns the parts between commas, trimmed; empty parts are dropped. */
  public List<String> list(String name) {
    String text = value(name);
    return text == null
        ? List.of()
        : Arrays.stream(text.split(",", -1)).map(String::strip).filter(p -> !p.isEmpty()).toList();
  }

  /** Records a fault that only the code that reads the value can detect. */
  public void fault(String name, String what) {
    fault(name + " " + what + ".");
  }

  /** Notes a fault whose message names the setting. */
  public void fault(String message) {
    faults.add(message);
  }

  /**
   * Throws if there are faults; call it after everything has been read.
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
      // Falls through: the message below says which values are valid.
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
