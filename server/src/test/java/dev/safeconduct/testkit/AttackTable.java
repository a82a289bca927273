package dev.safeconduct.testkit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints a line for each attack that {@code make attack} replays: whether it was defeated, and by
 * what: by the packaged service in a process of its own, or by its classes in the test's. The last
 * line counts them.
 */
public final class AttackTable implements TestExecutionListener {
  private static int before;
  private static int open;
  private static int packaged;
  private static int classes;

  /** Prints the line of one attack. */
  public static synchronized void line(boolean defeated, boolean byPackage, String name) {
    if (byPackage) {
      packaged++;
    } else {
      classes++;
    }
    if (!defeated) {
      open++;
    }
    System.out.printf(
        "%-9s %-9s %s%n", defeated ? "defeated" : "OPEN", byPackage ? "packaged" : "classes", name);
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest()) {
      before = ServerProcess.uses();
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    boolean defeated = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
    if (ServerProcess.isPackaged()
        && test.isTest()
        && test.getTags().contains(TestTag.create("attack"))
        && !(defeated && test.getTags().contains(TestTag.create("lines")))) {
      String where =
          test.getSource()
              .filter(MethodSource.class::isInstance)
              .map(MethodSource.class::cast)
              .map(source -> source.getJavaClass().getSimpleName() + ": ")
              .orElse("");
      line(defeated, ServerProcess.uses() > before, where + test.getDisplayName());
    }
  }

  @Override
  public void testPlanExecutionFinished(TestPlan plan) {
    if (packaged + classes > 0) {
      System.out.printf(
          "%d attacks: %d on the packaged service, %d on classes; %d defeated, %d open%n",
          packaged + classes, packaged, classes, packaged + classes - open, open);
    }
  }
}
