package dev.safeconduct.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.math.BigInteger;
import java.util.List;

class CounterTest {
  private static final CounterKey KEY = CounterKey.of("any");

  @RandomTest
  void sumsWhatHasNotExpired(RandomCase random) {
    List<Charge> charges = random.list(0, 50, () -> charge(random));
    long at = random.between(0, 40);
    long horizon = random.between(0, 40);
    var counter = new Counter();
    charges.forEach(charge -> counter.add(charge.expiresAtMs(), charge.amount()));
    long expected =
        charges.stream()
            .filter(charge -> charge.expiresAtMs() > at)
            .map(charge -> BigInteger.valueOf(charge.amount()))
            .reduce(BigInteger.ZERO, BigInteger::add)
            .min(BigInteger.valueOf(Long.MAX_VALUE))
            .longValueExact();
    assertThat(counter.total(at)).isEqualTo(expected);
    int before = counter.size();
    int dropped = counter.forget(Math.min(horizon, at));
    assertThat(counter.size()).isEqualTo(before - dropped);
    assertThat(counter.total(at)).isEqualTo(expected);
  }

  private static Charge charge(RandomCase random) {
    long amount =
        random.nextBoolean()
            ? random.between(1, 1000)
            : random.between(Long.MAX_VALUE / 3, Long.MAX_VALUE);
    return new Charge(KEY, amount, random.between(0, 40));
  }
}
