package dev.safeconduct.revocation;

import dev.safeconduct.audit.Change;
import java.util.List;

/** Changes of the past, of this node and of all others, as far back as they are kept. */
public interface ChangeHistory {
  /** Those after the place, oldest first. */
  List<Change> after(long sequence, int limit);
}
