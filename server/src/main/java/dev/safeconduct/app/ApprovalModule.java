package dev.safeconduct.app;

import dev.safeconduct.approval.AnswerApproval;
import dev.safeconduct.approval.Approval;
import dev.safeconduct.approval.ApprovalEndpoints;
import dev.safeconduct.approval.Approvals;
import dev.safeconduct.http.Route;
import dev.safeconduct.verify.ApprovalGate;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Actions that a person must approve first. */
record ApprovalModule(ApprovalGate gate, List<Route> routes) implements FeatureModule {
  private static final Logger LOG = LoggerFactory.getLogger(ApprovalModule.class);

  static ApprovalModule of(Platform platform, MailModule mail) {
    Approvals approvals = new Approvals(platform.store());
    var master = platform.keys().master();
    return new ApprovalModule(
        new ApprovalGate(
            approvals,
            master,
            platform.random(),
            approval -> notify(approval, mail),
            platform.events()),
        new ApprovalEndpoints(
                approvals,
                new AnswerApproval(approvals, platform.recorder(), platform.events()),
                master)
            .routes());
  }

  /** Emails the approvers. The decision is valid even if no email can be queued. */
  private static void notify(Approval approval, MailModule mail) {
    Thread.startVirtualThread(() -> {
      try {
        mail.approvals().announce(approval);
        mail.sender().trigger();
      } catch (RuntimeException e) {
        LOG.warn("No email can be written about {}: {}", approval.id(), e.getMessage());
      }
    });
  }
}
