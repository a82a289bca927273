package dev.safeconduct.testkit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Prints a line for each test that {@code make attack} runs: whether the attack was defeated, and
 * by what: by the packaged service in a process of its own, or by its classes in the test's.
 */
public final class AttackTable implements TestExecutionListener {
  private static int before;

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest()) {
      before = ServerProcess.started();
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (ServerProcess.isPackaged()
        && test.isTest()
        && test.getTags().contains(TestTag.create("attack"))) {
      String where =
          test.getSource()
              .filter(MethodSource.class::isInstance)
              .map(MethodSource.class::cast)
              .map(source -> source.getJavaClass().getSimpleName() + ": ")
              .orElse("");
      boolean defeated = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
      System.out.printf(
          "%-9s %-9s %s%s%n",
          defeated ? "defeated" : "OPEN",
          ServerProcess.started() > before ? "packaged" : "classes",
          where,
          test.getDisplayName());
    }
  }
}
