package dev.safeconduct.verify;

import dev.safeconduct.json.JsonObject;

/**
 * A passport that an instance was made of, directly or through others.
 *
 * @param digest over the passport's canonical form
 */
record Template(String agentId, JsonObject passport, String digest) {}
