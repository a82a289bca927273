package dev.safeconduct.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.safeconduct.usage.Charge;
import dev.safeconduct.usage.CounterKey;
import java.math.BigInteger;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

class CounterTest {
  private static final CounterKey KEY = CounterKey.of("any");

  @Property
  void sumsWhatHasNotExpired(
      @ForAll("charges") List<Charge> charges,
      @ForAll @LongRange(min = 0, max = 40) long at,
      @ForAll @LongRange(min = 0, max = 40) long horizon) {
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

  @Provide
  Arbitrary<List<Charge>> charges() {
    Arbitrary<Long> amount =
        Arbitraries.oneOf(
            Arbitraries.longs().between(1, 1000),
            Arbitraries.longs().between(Long.MAX_VALUE / 3, Long.MAX_VALUE));
    Arbitrary<Long> expires = Arbitraries.longs().between(0, 40);
    return Combinators.combine(amount, expires)
        .as((sum, end) -> new Charge(KEY, sum, end))
        .list()
        .ofMaxSize(50);
  }
}
