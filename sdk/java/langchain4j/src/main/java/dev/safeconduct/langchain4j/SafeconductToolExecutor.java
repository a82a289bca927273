package dev.safeconduct.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.safeconduct.client.ActionDeniedException;
import dev.safeconduct.client.ToolGuard;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Runs a tool if the call is allowed; the model else reads why not, as an error of the tool. */
public final class SafeconductToolExecutor implements ToolExecutor {
  private final ToolExecutor executor;
  private final ToolGuard guard;

  /** Wraps an executor. */
  public SafeconductToolExecutor(ToolExecutor executor, ToolGuard guard) {
    this.executor = executor;
    this.guard = guard;
  }

  @Override
  public String execute(ToolExecutionRequest request, @Nullable Object memoryId) {
    try {
      return run(request, () -> executor.execute(request, memoryId));
    } catch (ActionDeniedException e) {
      return ToolGuard.refusal(e);
    }
  }

  @Override
  public ToolExecutionResult executeWithContext(
      ToolExecutionRequest request, InvocationContext context) {
    try {
      return run(request, () -> executor.executeWithContext(request, context));
    } catch (ActionDeniedException e) {
      return ToolExecutionResult.builder().isError(true).resultText(ToolGuard.refusal(e)).build();
    }
  }

  private <T> T run(ToolExecutionRequest request, Callable<T> tool) {
    try {
      return guard.run(request.name(), request.arguments(), tool);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e); // executors declare none
    }
  }
}
