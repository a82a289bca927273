package dev.safeconduct.langchain4j;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.service.tool.AiServiceTool;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.langchain4j.service.tool.ToolProvider;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.langchain4j.service.tool.ToolProviderResult;
import dev.langchain4j.service.tool.ToolService;
import dev.safeconduct.client.ToolGuard;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Provides tools that run only if their call is allowed. Give it to {@code AiServices} in place of
 * the provider; {@code beforeToolExecution} cannot refuse a call.
 */
public final class SafeconductToolProvider implements ToolProvider {
  private final ToolProvider provider;
  private final ToolGuard guard;

  private SafeconductToolProvider(ToolProvider provider, ToolGuard guard) {
    this.provider = provider;
    this.guard = guard;
  }

  /** Returns a provider of another one's tools, for example of an MCP server's. */
  public static ToolProvider wrap(ToolProvider provider, ToolGuard guard) {
    return new SafeconductToolProvider(provider, guard);
  }

  /** Returns the tools with executors that ask first, for {@code AiServices.tools}. */
  public static Map<ToolSpecification, ToolExecutor> wrap(
      Map<ToolSpecification, ToolExecutor> tools, ToolGuard guard) {
    var wrapped = new LinkedHashMap<ToolSpecification, ToolExecutor>();
    tools.forEach(
        (tool, executor) -> wrapped.put(tool, new SafeconductToolExecutor(executor, guard)));
    return wrapped;
  }

  /**
   * Returns the methods of an object with {@link Tool} as tools that ask first, for {@code
   * AiServices.tools}.
   */
  public static List<AiServiceTool> wrap(Object object, ToolGuard guard) {
    return wrap(ToolService.findTools(object), guard);
  }

  private static List<AiServiceTool> wrap(List<AiServiceTool> tools, ToolGuard guard) {
    return tools.stream()
        .map(tool ->
            tool.toBuilder()
                .toolExecutor(new SafeconductToolExecutor(tool.toolExecutor(), guard))
                .build())
        .toList();
  }

  @Override
  public ToolProviderResult provideTools(ToolProviderRequest request) {
    return new ToolProviderResult(wrap(provider.provideTools(request).aiServiceTools(), guard));
  }

  @Override
  public boolean isDynamic() {
    return provider.isDynamic();
  }
}
