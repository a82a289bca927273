package dev.safeconduct.gateway.policy;

/** What happens to a request of a client. */
public sealed interface Handling {
  /** It reaches the server without a question. */
  record Pass() implements Handling {}

  /** A tool is called: the policy decides with the arguments, and so do the tool's mappings. */
  record CallTool() implements Handling {}

  /** Tools are listed: the list is filtered. */
  record ListTools() implements Handling {}

  /** The policy decides as if the parameters were those of this tool. */
  record Ask(String tool) implements Handling {}

  /** Something is listed: the member is empty if this tool cannot be called. */
  record ListAll(String tool, String member) implements Handling {}

  /** A stream of notifications: each resource in it is asked for as a call of this tool. */
  record Listen(String tool) implements Handling {}

  /** A task of this client; others are unknown. */
  record OwnTask() implements Handling {}

  /** Input for a task of this client: the policy decides again. */
  record UpdateTask() implements Handling {}

  /** Tasks are listed: those of this client. */
  record ListTasks() implements Handling {}
}
