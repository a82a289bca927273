package dev.safeconduct;

import dev.safeconduct.approval.AnswerApproval;
import dev.safeconduct.approval.ApprovalEndpoints;
import dev.safeconduct.approval.ApprovalLetters;
import dev.safeconduct.audit.Recorder;
import dev.safeconduct.http.Route;
import dev.safeconduct.mail.LetterWriter;
import dev.safeconduct.signing.MasterKey;
import dev.safeconduct.store.Store;
import dev.safeconduct.usage.Approval;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Approvals, wired. */
final class ApprovalParts {
  private static final Logger LOG = LoggerFactory.getLogger(ApprovalParts.class);

  private final ApprovalLetters letters;
  private final List<Route> routes;

  /** The postman is made after those who write letters. */
  private final AtomicReference<Runnable> nudge = new AtomicReference<>(() -> {});

  private ApprovalParts(ApprovalLetters letters, List<Route> routes) {
    this.letters = letters;
    this.routes = routes;
  }

  static ApprovalParts of(
      ServiceConfig config, InstantSource clock, Store store, MasterKey master, Recorder recorder) {
    return new ApprovalParts(
        new ApprovalLetters(
            store.approvals(),
            store.accounts(),
            store.members(),
            store.outbox(),
            config.http().baseUrl().toString(),
            clock),
        new ApprovalEndpoints(
                store.approvals(), new AnswerApproval(store.approvals(), recorder), master)
            .routes());
  }

  List<Route> routes() {
    return routes;
  }

  Map<String, LetterWriter> writers() {
    return letters.writers();
  }

  void nudge(Runnable postman) {
    nudge.set(postman);
  }

  /** Tells people; the decision stands whether or not a letter can be written. */
  void opened(Approval approval) {
    Thread.startVirtualThread(() -> {
      try {
        letters.tell(approval);
        nudge.get().run();
      } catch (RuntimeException e) {
        LOG.warn("nobody could be told of {}: {}", approval.id(), e.getMessage());
      }
    });
  }
}
