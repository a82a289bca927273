package dev.safeconduct.gateway.testkit;

import dev.safeconduct.gateway.rpc.Message;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Short words for what a response says. */
public final class Answers {
  private Answers() {}

  /**
   * Returns {@code error CODE}, {@code denied CODE} for a result with {@code isError} of the
   * gateway, or {@code ok}.
   */
  public static String word(Message response) {
    Map<String, @Nullable Object> error = response.error();
    if (error != null) {
      return "error " + error.get("code");
    }
    Map<String, @Nullable Object> result = Message.objectOrEmpty(response.result());
    return Boolean.TRUE.equals(result.get("isError"))
        ? "denied " + meta(response).get("safeconduct/code")
        : "ok";
  }

  /** Returns {@code result._meta}. */
  public static Map<String, @Nullable Object> meta(Message response) {
    return Message.objectOrEmpty(Message.objectOrEmpty(response.result()).get("_meta"));
  }

  /** Returns the text of the first content of a tool's result. */
  public static String text(Message response) {
    Object content = Message.objectOrEmpty(response.result()).get("content");
    return content instanceof java.util.List<?> list && !list.isEmpty()
        ? String.valueOf(Message.objectOrEmpty(list.getFirst()).get("text"))
        : "";
  }
}
