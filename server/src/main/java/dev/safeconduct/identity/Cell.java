package dev.safeconduct.identity;

import dev.safeconduct.error.Problem;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The cell that a deployment is: one of several whose organizations are behind one address. Its
 * name is in every API key and agent id that it creates, so that a proxy can route by them.
 *
 * <p>In an agent id the name takes the place that the time has in a UUIDv7: the id is a UUIDv8 (RFC
 * 9562 section 5.8) whose first six bytes are the name in ASCII, filled up with zeros. So an agent
 * id keeps its form, and {@code ap_657531000000} begins all those of {@code eu1}.
 *
 * @param name 1 to 6 lower-case letters and digits; empty for a deployment that is not a cell
 */
public record Cell(String name) {
  /** A deployment that is not a cell. */
  public static final Cell NONE = new Cell("");

  public static final int MAX_LENGTH = 6;

  private static final Pattern NAME = Pattern.compile("[a-z0-9]{1," + MAX_LENGTH + "}");

  private static final int PREFIX = "ap_".length();
  private static final int DIGITS = 32;
  private static final long VERSION_8 = 0x8000L;
  private static final long COUNTER_MASK = 0xfffL;

  public Cell {
    if (!name.isEmpty() && !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("a cell has 1 to 6 lower-case letters and digits");
    }
  }

  /** Returns the cell of that name; empty if the text is not a valid name. */
  public static Optional<Cell> parse(String text) {
    return NAME.matcher(text).matches() ? Optional.of(new Cell(text)) : Optional.empty();
  }

  /** Returns the cell that an agent id names, however the id is spelled. */
  static Optional<Cell> of(String agentId) {
    String id = AgentId.fold(agentId);
    int version = PREFIX + 2 * MAX_LENGTH;
    if (id.length() != PREFIX + DIGITS
        || !AgentId.isPlain(id)
        || id.charAt(version) != '8'
        || "89ab".indexOf(id.charAt(version + 4)) < 0) {
      return Optional.empty();
    }
    byte[] bytes = HexFormat.of().parseHex(id, PREFIX, version);
    return parse(new String(bytes, StandardCharsets.US_ASCII).replaceFirst("\0+$", ""));
  }

  public boolean isNone() {
    return name.isEmpty();
  }

  /**
   * Returns the id of a new passport.
   *
   * @param random a random UUID (version 4); 74 of its random bits are kept
   */
  public UUID passportId(UUID random) {
    if (isNone()) {
      return random;
    }
    long high = 0;
    for (int i = 0; i < MAX_LENGTH; i++) {
      high = (high << 8) | (i < name.length() ? name.charAt(i) : 0);
    }
    return new UUID(
        (high << 16) | VERSION_8 | (random.getMostSignificantBits() & COUNTER_MASK),
        random.getLeastSignificantBits());
  }

  /**
   * Returns the problem of a request about this agent, if its id names another cell. A deployment
   * that is not a cell takes any id.
   *
   * @param agentId the id as the request spells it
   */
  public Optional<Problem> refusal(String agentId) {
    return isNone()
        ? Optional.empty()
        : of(agentId).filter(cell -> !cell.equals(this)).map(cell -> misdirected("agent", cell));
  }

  /** Returns the problem of a request whose {@code what} is the other cell's. */
  public Problem misdirected(String what, Cell other) {
    return new Problem.Misdirected(
        "The "
            + what
            + " belongs to the cell "
            + other.name
            + ", and this is the cell "
            + name
            + ". Send the request to the cell "
            + other.name
            + ".",
        other.name);
  }

  @Override
  public String toString() {
    return name;
  }
}
