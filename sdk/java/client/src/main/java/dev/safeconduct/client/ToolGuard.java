package dev.safeconduct.client;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks before the tools of an agent run. A table says which actions a call of each tool stands for;
 * a tool that it does not name is denied, and so is a call whose actions cannot be told.
 */
public final class ToolGuard {
  /** The reason of the deny of a tool that is not in the table. */
  public static final String UNKNOWN_TOOL = "client.unknown_tool";

  /** The reason of the deny of a call whose arguments give no action. */
  public static final String INVALID_ARGUMENTS = "client.invalid_arguments";

  private final Safeconduct client;
  private final CheckOptions options;
  private final Map<String, Function<Map<String, ?>, List<Action>>> tools;

  private ToolGuard(Builder builder) {
    client = builder.client;
    options = builder.options;
    tools = Map.copyOf(builder.tools);
  }

  /** Returns a builder of a guard that denies every tool. */
  public static Builder builder(Safeconduct client) {
    return new Builder(client);
  }

  /** The table of the tools. */
  public static final class Builder {
    private final Safeconduct client;
    private final Map<String, Function<Map<String, ?>, List<Action>>> tools = new HashMap<>();
    private CheckOptions options = CheckOptions.none();

    private Builder(Safeconduct client) {
      this.client = client;
    }

    /** Sets the action that a call of the tool stands for, by its arguments. */
    public Builder tool(String name, Function<Map<String, ?>, Action> action) {
      tools.put(name, arguments -> List.of(action.apply(arguments)));
      return this;
    }

    /** Sets the actions that a call of the tool stands for; all of them must be allowed. */
    public Builder actions(String name, Function<Map<String, ?>, List<Action>> actions) {
      tools.put(
          name,
          arguments -> {
            List<Action> found = List.copyOf(actions.apply(arguments));
            if (found.isEmpty()) {
              throw new IllegalArgumentException("there is no action");
            }
            return found;
          });
      return this;
    }

    /** Lets a tool run that needs no decision. */
    public Builder unchecked(String name) {
      tools.put(name, arguments -> List.of());
      return this;
    }

    /** Sets how to ask, for example how long to wait for an approval. */
    public Builder options(CheckOptions how) {
      options = how;
      return this;
    }

    /** Returns the guard. */
    public ToolGuard build() {
      return new ToolGuard(this);
    }
  }

  /** As {@link #deny(String, Map)}, with the arguments as the text of a JSON object. */
  public Optional<ActionDeniedException> deny(String tool, @Nullable String arguments) {
    return deny(tool, () -> parse(arguments));
  }

  /**
   * Returns the deny of a call of a tool; empty if the call may run. What goes wrong is a deny, not
   * an exception.
   */
  public Optional<ActionDeniedException> deny(String tool, Map<String, ?> arguments) {
    return deny(tool, () -> arguments);
  }

  /**
   * Runs a tool if the call may run, and returns its result.
   *
   * @param arguments the text of a JSON object
   * @throws ActionDeniedException if the call is denied; the tool did not run
   * @throws Exception what the tool throws
   */
  public <T extends @Nullable Object> T run(
      String tool, @Nullable String arguments, Callable<T> callable) throws Exception {
    return run(tool, () -> parse(arguments), callable);
  }

  /** Returns what a model reads in place of the result of a denied call. */
  public static String refusal(ActionDeniedException denied) {
    return "Denied by policy, do not try again in another way: " + denied.getMessage();
  }

  /**
   * Returns an argument that is a string, for the actions of the table.
   *
   * @throws IllegalArgumentException if it is not; the call is then denied
   */
  public static String text(Map<String, ?> arguments, String name) {
    if (arguments.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(name + " is not a string");
  }

  private Optional<ActionDeniedException> deny(String tool, Callable<Map<String, ?>> arguments) {
    try {
      return run(tool, arguments, Optional::empty);
    } catch (ActionDeniedException e) {
      return Optional.of(e);
    } catch (Exception e) {
      return Optional.of(denied(Decision.UNAVAILABLE, "The call cannot be decided: " + e));
    }
  }

  private <T extends @Nullable Object> T run(
      String tool, Callable<Map<String, ?>> arguments, Callable<T> callable) throws Exception {
    var known = tools.get(tool);
    if (known == null) {
      throw denied(UNKNOWN_TOOL, "No policy is set for the tool \"" + tool + "\".");
    }
    var isAllowed = new AtomicBoolean();
    try {
      return run(
          known.apply(arguments.call()),
          () -> {
            isAllowed.set(true);
            return callable.call();
          });
    } catch (Exception e) {
      // What the tool throws is its own; everything before means that the call may not run.
      if (isAllowed.get() || e instanceof ActionDeniedException) {
        throw e;
      }
      throw denied(
          INVALID_ARGUMENTS, "The arguments of \"" + tool + "\" give no action: " + e.getMessage());
    }
  }

  private <T extends @Nullable Object> T run(List<Action> actions, Callable<T> callable)
      throws Exception {
    return actions.isEmpty()
        ? callable.call()
        : client.guard(
            actions.get(0), options, () -> run(actions.subList(1, actions.size()), callable));
  }

  private static Map<String, ?> parse(@Nullable String arguments) {
    return arguments == null || arguments.isBlank()
        ? Map.of()
        : Json.object(Json.parse(arguments.getBytes(StandardCharsets.UTF_8)));
  }

  private static ActionDeniedException denied(String code, String message) {
    return new ActionDeniedException(
        Decision.denied(new Decision.Reason(code, message), null, null));
  }
}
