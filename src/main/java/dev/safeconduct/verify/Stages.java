package dev.safeconduct.verify;

/** Told when a stage of a verification is over: policy, sign, store. */
@FunctionalInterface
interface Stages {
  void mark(String stage);
}
