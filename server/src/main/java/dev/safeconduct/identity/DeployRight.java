package dev.safeconduct.identity;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What files may change with a deploy token beyond packs and passports; none unless given. */
public enum DeployRight {
  /** Create, change and delete webhooks, and read their URLs. */
  WEBHOOKS("webhooks"),
  /** Set the retention, which erases records for good. */
  RETENTION("retention"),
  /** Withdraw packs, and suspend passports by {@code --prune}. */
  WITHDRAW("withdraw");

  private final String wire;

  DeployRight(String wire) {
    this.wire = wire;
  }

  /** Returns the name in requests and responses. */
  public String wire() {
    return wire;
  }

  /** Parses the name of {@link #wire}. */
  public static Optional<DeployRight> parse(String text) {
    return Arrays.stream(values()).filter(right -> right.wire.equals(text)).findFirst();
  }

  /** Returns the stored form of {@link #stored(String)}. */
  public static String stored(Set<DeployRight> rights) {
    return rights.stream().sorted().map(DeployRight::wire).collect(Collectors.joining(" "));
  }

  /** Returns stored rights; one that this version does not know grants nothing. */
  public static Set<DeployRight> stored(String text) {
    return Stream.of(text.split(" ", -1))
        .flatMap(name -> parse(name).stream())
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(DeployRight.class)));
  }
}
