package dev.safeconduct.app;

import dev.safeconduct.approval.AnswerApproval;
import dev.safeconduct.approval.ApprovalEndpoints;
import dev.safeconduct.approval.Approvals;
import dev.safeconduct.http.Route;
import dev.safeconduct.verify.ApprovalGate;
import java.util.List;

/** Actions that a person must approve first. */
record ApprovalModule(ApprovalGate gate, List<Route> routes) implements FeatureModule {
  static ApprovalModule of(Platform platform, MailModule mail) {
    Approvals approvals = new Approvals(platform.store());
    var master = platform.keys().master();
    return new ApprovalModule(
        new ApprovalGate(
            approvals,
            master,
            platform.random(),
            mail.sender()::trigger,
            platform.events(),
            mail.approvals()),
        new ApprovalEndpoints(
                approvals,
                new AnswerApproval(approvals, platform.recorder(), platform.events()),
                master)
            .routes());
  }
}
