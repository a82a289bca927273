package dev.safeconduct.verify;

import dev.safeconduct.audit.Change;
import dev.safeconduct.identity.Caller;
import dev.safeconduct.identity.OrgId;
import dev.safeconduct.json.JsonObject;
import java.util.ArrayList;
import java.util.List;

/**
 * The passport an action is judged by.
 *
 * @param org whose decision it is
 * @param hosted whether the passport is one of ours; else it came with the request and nobody
 *     vouches for it
 * @param digest over the passport's canonical form
 * @param templateActive false for an instance of which a template is not active
 * @param templates what an instance was made of, its own template first
 * @param changes what the decision must be judged again for when it changes
 */
record Subject(
    OrgId org,
    String agentId,
    boolean hosted,
    JsonObject passport,
    String digest,
    boolean templateActive,
    List<Template> templates,
    List<String> changes) {

  /** What a decision about it is judged again for when it changes. */
  List<String> fenced(Caller caller, JudgedPack judged) {
    var subjects = new ArrayList<String>(changes);
    subjects.add(Change.SIGNING_KEYS);
    judged.owner().ifPresent(owner -> subjects.add(Change.packs(owner.value())));
    if (caller instanceof Caller.Key key) {
      subjects.add(Change.key(key.keyId()));
    }
    return subjects;
  }

  /** {@code passport_source} as decisions spell it. */
  String source() {
    return hosted ? "registry" : "request";
  }
}
