package dev.safeconduct.tlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.safeconduct.testkit.RandomCase;
import dev.safeconduct.testkit.RandomTest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The tree against the recursive words of RFC 6962 section 2.1, and its proofs against forgers. */
final class TreeTest {
  private static final HexFormat HEX = HexFormat.of();

  private static List<byte[]> leaves(int size) {
    return IntStream.range(0, size)
        .mapToObj(i -> TreeHash.leaf(("entry " + i).getBytes(StandardCharsets.UTF_8)))
        .toList();
  }

  /** MTH of RFC 6962, word for word. */
  private static byte[] root(List<byte[]> leaves) {
    if (leaves.isEmpty()) {
      return TreeHash.empty();
    }
    if (leaves.size() == 1) {
      return leaves.getFirst();
    }
    int k = Integer.highestOneBit(leaves.size() - 1);
    return TreeHash.node(root(leaves.subList(0, k)), root(leaves.subList(k, leaves.size())));
  }

  private static Tree tree(List<byte[]> leaves) {
    return new Tree(
        (level, index) ->
            root(leaves.subList((int) (index << level), (int) ((index + 1) << level))),
        leaves.size());
  }

  @Test
  void hashesAsTheStandardsExamplesDo() {
    // The roots of RFC 6962's reference implementation for the entries it uses.
    List<byte[]> entries =
        List.of("", "00", "10", "2021", "3031", "40414243").stream()
            .map(HEX::parseHex)
            .map(TreeHash::leaf)
            .toList();
    assertThat(HEX.formatHex(TreeHash.empty()))
        .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assertThat(HEX.formatHex(tree(entries.subList(0, 1)).root()))
        .isEqualTo("6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    assertThat(HEX.formatHex(tree(entries.subList(0, 3)).root()))
        .isEqualTo("aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77");
    assertThat(HEX.formatHex(tree(entries).root()))
        .isEqualTo("76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef");
  }

  @Test
  void everyLeafOfEverySmallTreeIsProved() {
    for (int size = 1; size <= 70; size++) {
      List<byte[]> leaves = leaves(size);
      Tree tree = tree(leaves);
      byte[] root = tree.root();
      assertThat(root).isEqualTo(root(leaves));
      for (int i = 0; i < size; i++) {
        List<byte[]> path = tree.inclusion(i);
        assertThat(Proofs.includes(leaves.get(i), i, size, path, root)).isTrue();
        for (int other = 0; other < size; other++) {
          assertThat(Proofs.includes(leaves.get(i), other, size, path, root)).isEqualTo(other == i);
        }
      }
    }
  }

  @Test
  void everyPrefixOfEverySmallTreeIsProved() {
    for (int size = 1; size <= 40; size++) {
      List<byte[]> leaves = leaves(size);
      Tree tree = tree(leaves);
      byte[] root = tree.root();
      List<byte[]> roots =
          IntStream.rangeClosed(0, size).mapToObj(n -> root(leaves.subList(0, n))).toList();
      for (int older = 1; older <= size; older++) {
        byte[] olderRoot = roots.get(older);
        List<byte[]> path = tree.consistency(older);
        assertThat(Proofs.consistent(older, olderRoot, size, root, path)).isTrue();
        for (int wrong = 1; wrong <= size; wrong++) {
          assertThat(Proofs.consistent(older, roots.get(wrong), size, root, path))
              .isEqualTo(wrong == older);
        }
      }
    }
  }

  @RandomTest(cases = 300)
  void aFlippedBitAnywhereBreaksAProof(RandomCase random) {
    int size = random.between(2, 200);
    List<byte[]> leaves = leaves(size);
    Tree tree = tree(leaves);
    int index = random.between(0, size - 1);
    var parts = new ArrayList<byte[]>(tree.inclusion(index));
    parts.add(leaves.get(index));
    parts.add(tree.root());
    int bit = random.between(0, parts.size() * 256 - 1);
    byte[] altered = parts.get(bit / 256).clone();
    altered[bit % 256 / 8] ^= (byte) (1 << (bit % 8));
    parts.set(bit / 256, altered);
    int path = parts.size() - 2;
    assertThat(
            Proofs.includes(parts.get(path), index, size, parts.subList(0, path), parts.getLast()))
        .isFalse();
  }

  @RandomTest(cases = 300)
  void aFlippedBitAnywhereBreaksAConsistencyProof(RandomCase random) {
    int size = random.between(2, 200);
    List<byte[]> leaves = leaves(size);
    Tree tree = tree(leaves);
    int older = random.between(1, size - 1);
    var parts = new ArrayList<byte[]>(tree.consistency(older));
    parts.add(root(leaves.subList(0, older)));
    parts.add(tree.root());
    int bit = random.between(0, parts.size() * 256 - 1);
    byte[] altered = parts.get(bit / 256).clone();
    altered[bit % 256 / 8] ^= (byte) (1 << (bit % 8));
    parts.set(bit / 256, altered);
    int path = parts.size() - 2;
    assertThat(
            Proofs.consistent(
                older, parts.get(path), size, parts.getLast(), parts.subList(0, path)))
        .isFalse();
  }

  @Test
  void whatIsNotInTheTreeIsNotProved() {
    Tree tree = tree(leaves(5));
    assertThatThrownBy(() -> tree.inclusion(5)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> tree.inclusion(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> tree.consistency(6)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> tree.consistency(0)).isInstanceOf(IndexOutOfBoundsException.class);
    List<byte[]> tooLong = new ArrayList<>(tree.inclusion(4));
    tooLong.add(new byte[32]);
    assertThat(Proofs.includes(leaves(5).get(4), 4, 5, tooLong, tree.root())).isFalse();
    assertThat(Proofs.includes(leaves(5).get(4), 4, 5, List.of(), tree.root())).isFalse();
  }
}
