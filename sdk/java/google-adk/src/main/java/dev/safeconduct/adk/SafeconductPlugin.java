package dev.safeconduct.adk;

import com.google.adk.plugins.BasePlugin;
import com.google.adk.tools.BaseTool;
import com.google.adk.tools.ToolContext;
import dev.safeconduct.client.ToolGuard;
import io.reactivex.rxjava3.core.Maybe;
import java.util.Map;

/**
 * Asks before any tool of any agent of a runner runs; the model reads the reason of a deny as the
 * tool's result.
 *
 * <p>Make it the last plugin: what plugins after it, or callbacks of agents, change in the
 * arguments is not asked about.
 */
public final class SafeconductPlugin extends BasePlugin {
  private final ToolGuard guard;

  /** Makes the plugin. */
  public SafeconductPlugin(ToolGuard guard) {
    super("safeconduct");
    this.guard = guard;
  }

  @Override
  public Maybe<Map<String, Object>> beforeToolCallback(
      BaseTool tool, Map<String, Object> arguments, ToolContext context) {
    return Maybe.defer(() ->
        Maybe.fromOptional(
            guard
                .deny(tool.name(), arguments)
                .map(denied -> Map.<String, Object>of("error", ToolGuard.refusal(denied)))));
  }
}
