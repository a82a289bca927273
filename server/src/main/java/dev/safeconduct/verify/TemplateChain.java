package dev.safeconduct.verify;

import dev.safeconduct.decision.JudgedPassport;
import java.util.List;

/**
 * The templates of an instance. Each template is evaluated too, and all must allow. So the instance
 * is never allowed more than its templates, and its charges count against their caps.
 *
 * @param active false if a template is not active or does not exist
 * @param templates its own template first; empty for a passport that is not an instance
 */
public record TemplateChain(boolean active, List<Template> templates) {
  /** The empty chain of a passport that is not an instance. */
  public static final TemplateChain NONE = new TemplateChain(true, List.of());

  public TemplateChain {
    templates = List.copyOf(templates);
  }

  /**
   * A direct or indirect template of an instance.
   *
   * @param digest over the passport's canonical form
   */
  public record Template(String agentId, JudgedPassport passport, String digest) {}
}
