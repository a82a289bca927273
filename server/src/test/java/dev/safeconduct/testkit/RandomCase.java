package dev.safeconduct.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Random inputs of one case of a {@link RandomTest}, all made of one seed. The methods added to
 * those of {@link Random} draw the bounds of what they draw from far more often than chance would,
 * and remember what they drew, so that a failure tells it.
 */
@SuppressWarnings("serial") // nobody writes a test case to a stream
public final class RandomCase extends Random {
  private static final int LONGEST = 255;

  private final long seed;
  private final List<Object> drawn = new ArrayList<>();

  /** The case with this seed. */
  public RandomCase(long seed) {
    super(seed);
    this.seed = seed;
  }

  /** What the case is made of. */
  public long seed() {
    return seed;
  }

  /** Any number: small ones, large ones, and the bounds. */
  public int anyInt() {
    return noted(
        rarely()
            ? edge(Integer.MIN_VALUE, Integer.MAX_VALUE).intValue()
            : nextInt() >> nextInt(32));
  }

  /** Any number: small ones, large ones, and the bounds. */
  public long anyLong() {
    return noted(rarely() ? edge(Long.MIN_VALUE, Long.MAX_VALUE) : nextLong() >> nextInt(64));
  }

  /** A number between the two, or one of them. */
  public int between(int least, int most) {
    return noted(rarely() ? edge(least, most).intValue() : (int) nextLong(least, (long) most + 1));
  }

  /** A number between the two, or one of them. */
  public long between(long least, long most) {
    long end = most == Long.MAX_VALUE ? most : most + 1;
    return noted(rarely() ? edge(least, most) : nextLong(least, end));
  }

  /** A number from 0 to 1, both among them. */
  public double fraction() {
    return noted(rarely() ? (nextBoolean() ? 0.0 : 1.0) : nextDouble());
  }

  /** Any UTF-16 code unit, most often one of ASCII. */
  public char anyChar() {
    return noted(character());
  }

  /** Any text, also one that is not well-formed UTF-16. */
  public String anyText() {
    int kind = nextInt(4);
    return noted(
        text(
            nextBoolean() ? 16 : LONGEST,
            () ->
                switch (kind) {
                  case 0 -> (char) nextInt(0x20, 0x7f);
                  case 1 -> (char) nextInt(0x100);
                  default -> character();
                }));
  }

  /** A text of at most so many characters, all between these two. */
  public String text(int most, char first, char last) {
    return noted(
        text(
            most,
            () -> rarely() ? (nextBoolean() ? first : last) : (char) nextInt(first, last + 1)));
  }

  /** A text of at most so many characters, each one of these. */
  public String text(int most, String characters) {
    return noted(text(most, () -> characters.charAt(nextInt(characters.length()))));
  }

  /** One of them. */
  @SafeVarargs
  public final <T> T one(T... of) {
    return noted(of[nextInt(of.length)]);
  }

  /** From so few to so many of them, each any number of times. */
  @SafeVarargs
  public final <T> List<T> some(int least, int most, T... of) {
    return noted(list(least, most, () -> of[nextInt(of.length)]));
  }

  /** From none to so many of the parts, one behind the other. */
  public String joined(int most, String... parts) {
    return noted(String.join("", list(0, most, () -> parts[nextInt(parts.length)])));
  }

  /** From so few to so many of what the supplier draws. */
  public <T> List<T> list(int least, int most, Supplier<T> element) {
    var list = new ArrayList<T>();
    for (int i = size(least, most); i > 0; i--) {
      list.add(element.get());
    }
    return list;
  }

  private String text(int most, Supplier<Character> character) {
    var text = new StringBuilder();
    for (int i = size(0, most); i > 0; i--) {
      text.append(character.get().charValue());
    }
    return text.toString();
  }

  private char character() {
    return switch (nextInt(8)) {
      case 0 -> (char) nextInt(0x10000);
      case 1 -> (char) nextInt(0xd800, 0xe000);
      case 2 -> "\0\n\r\u007f\u0080\u00ff\u200b\ufeff\uffff".charAt(nextInt(9));
      case 3 -> (char) nextInt(0x800);
      default -> (char) nextInt(0x80);
    };
  }

  private boolean rarely() {
    return nextInt(12) == 0;
  }

  private int size(int least, int most) {
    return rarely() ? (nextBoolean() ? least : most) : nextInt(least, most + 1);
  }

  /** A bound, what is next to it, or a number around 0 if it lies between them. */
  private Long edge(long least, long most) {
    List<Long> edges = new ArrayList<>(List.of(least, most, least + 1, most - 1));
    List.of(0L, 1L, -1L, 2L, -2L).forEach(edges::add);
    edges.removeIf(edge -> edge < least || edge > most);
    return edges.get(nextInt(edges.size()));
  }

  private <T> T noted(T value) {
    drawn.add(value);
    return value;
  }

  @Override
  public String toString() {
    return drawn.toString();
  }
}
