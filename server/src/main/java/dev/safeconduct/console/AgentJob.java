package dev.safeconduct.console;

import java.util.List;

/** A job of an agent, with the capabilities for it. Its limits are set on the next page. */
record AgentJob(String id, String name, String description, List<String> capabilities) {
  static final List<AgentJob> ALL =
      List.of(
          new AgentJob("job-commands", "Runs commands", "", List.of("system.command.execute")),
          new AgentJob(
              "job-files",
              "Reads and writes files",
              "",
              List.of("data.file.read", "data.file.write")),
          new AgentJob("job-web", "Reads the web", "", List.of("web.fetch", "web.search")),
          new AgentJob(
              "job-browser", "Browses", "Opens pages and acts in them.", List.of("web.browser")),
          new AgentJob("job-messages", "Sends messages", "", List.of("messaging.send")),
          new AgentJob(
              "job-pays",
              "Pays",
              "Charges, refunds and pays out.",
              List.of("payments.charge", "finance.payment.refund", "payments.payout")),
          new AgentJob(
              "job-none",
              "Something else",
              "Starts without capabilities; you add them on the next page.",
              List.of()));
}
