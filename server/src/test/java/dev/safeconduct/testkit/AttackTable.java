package dev.safeconduct.testkit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Prints a line for each attack that {@code make attack} replays against the packaged service. */
public final class AttackTable implements TestExecutionListener {
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
          "%-9s %s%s%n", defeated ? "defeated" : "OPEN", where, test.getDisplayName());
    }
  }
}
