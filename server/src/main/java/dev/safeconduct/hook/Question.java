package dev.safeconduct.hook;

import dev.safeconduct.json.JsonObject;

/**
 * One question to a policy; a tool's use may need several.
 *
 * @param capability the capability that its pack needs; the pack's id for an organization's own
 * @param context the action
 */
record Question(String capability, String policyId, JsonObject context) {
  /** Returns the question to the built-in pack of the capability. */
  static Question of(String capability, JsonObject.Builder context) {
    return new Question(capability, capability + ".v1", context.build());
  }
}
