package dev.safeconduct.json;

import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The members of one object in their order. Nearly all objects are small, and scanning a few names
 * costs less time and memory than a map. A large object has a sorted map, in which no choice of
 * names makes lookups slow; in a hash table, many names with one hash code do.
 */
final class MemberTable {
  private static final int USUAL = 8;
  private static final int FEW = 24;

  private @Nullable String[] names;
  private @Nullable JsonValue[] values;
  private int size;

  /** The index of each name, once there are more than a few. */
  private @Nullable TreeMap<String, Integer> places;

  MemberTable() {
    names = new String[USUAL];
    values = new JsonValue[USUAL];
  }

  private MemberTable(MemberTable from) {
    names = from.names.clone();
    values = from.values.clone();
    size = from.size;
    places = from.places == null ? null : new TreeMap<>(from.places);
  }

  MemberTable copy() {
    return new MemberTable(this);
  }

  int size() {
    return size;
  }

  @SuppressWarnings("NullAway") // no element is null below the size
  String name(int place) {
    return names[place];
  }

  @SuppressWarnings("NullAway")
  JsonValue value(int place) {
    return values[place];
  }

  @Nullable JsonValue get(String name) {
    int place = find(name);
    return place < 0 ? null : values[place];
  }

  private int find(String name) {
    if (places != null) {
      return there(places.get(name));
    }
    for (int i = 0; i < size; i++) {
      if (name.equals(names[i])) {
        return i;
      }
    }
    return -1;
  }

  /** Sets the member, in place when the name exists; returns whether the name was new. */
  boolean put(String name, JsonValue value) {
    int place = places == null ? find(name) : there(places.putIfAbsent(name, size));
    if (place >= 0) {
      values[place] = value;
      return false;
    }
    if (size == names.length) {
      names = Arrays.copyOf(names, 2 * size);
      values = Arrays.copyOf(values, 2 * size);
    }
    names[size] = name;
    values[size] = value;
    size++;
    if (places == null && size > FEW) {
      places = new TreeMap<>();
      for (int i = 0; i < size; i++) {
        places.put(name(i), i);
      }
    }
    return true;
  }

  private static int there(@Nullable Integer place) {
    return place == null ? -1 : place;
  }

  @SuppressWarnings("NullAway") // no element is null below the size
  String[] sortedNames() {
    String[] sorted = Arrays.copyOf(names, size);
    Arrays.sort(sorted);
    return sorted;
  }

  Set<String> names() {
    return new Names();
  }

  @Override
  public boolean equals(@Nullable Object object) {
    if (!(object instanceof MemberTable other) || other.size != size) {
      return false;
    }
    for (int i = 0; i < size; i++) {
      JsonValue theirs = other.get(name(i));
      if (theirs == null || !theirs.equals(value(i))) {
        return false;
      }
    }
    return true;
  }

  /** Compares without regard to order. */
  @Override
  public int hashCode() {
    int hash = 0;
    for (int i = 0; i < size; i++) {
      hash += name(i).hashCode() ^ value(i).hashCode();
    }
    return hash;
  }

  private final class Names extends AbstractSet<String> {
    @Override
    public int size() {
      return size;
    }

    @Override
    public boolean contains(@Nullable Object name) {
      return name instanceof String text && find(text) >= 0;
    }

    @Override
    public Iterator<String> iterator() {
      return new Iterator<>() {
        private int next;

        @Override
        public boolean hasNext() {
          return next < size;
        }

        @Override
        public String next() {
          if (next == size) {
            throw new NoSuchElementException();
          }
          return name(next++);
        }
      };
    }
  }
}
