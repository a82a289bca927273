package dev.safeconduct.decision;

import dev.safeconduct.json.JsonObject;

/**
 * One step of a judgement, for whoever asks why.
 *
 * @param name the rule, or the common check
 * @param passed whether it had nothing against the action
 * @param limits the limits it looked at
 * @param context the context values it looked at
 */
public record Check(String name, boolean passed, JsonObject limits, JsonObject context) {}
