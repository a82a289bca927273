package dev.safeconduct.hook;

import dev.safeconduct.json.JsonObject;
import java.util.Optional;

/**
 * One use of a tool, as an agent's hook reports it.
 *
 * @param event the agent's name of the event
 * @param tool the agent's name of the tool; the event's for events of one tool
 * @param input what the agent gives to the tool
 * @param session the agent's id of its session
 * @param user the person whom the agent works for, where it tells
 * @param whole the whole event
 */
record ToolCall(
    String event,
    String tool,
    JsonObject input,
    Optional<String> cwd,
    Optional<String> session,
    Optional<String> user,
    Shape whole) {}
