package dev.safeconduct.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CellTest {
  private static final Cell EU1 = new Cell("eu1");
  private static final Cell US1 = new Cell("us1");

  @Test
  void thePrefixOfAnAgentIdIsTheNameOfItsCell() {
    UUID id = EU1.passportId(UUID.fromString("0b1c2d3e-4f50-4abc-9def-0123456789ab"));

    assertThat(id).hasToString("65753100-0000-8abc-9def-0123456789ab");
    assertThat(id.version()).isEqualTo(8);
    assertThat(Cell.of("ap_" + id.toString().replace("-", ""))).contains(EU1);
    assertThat(Cell.of(id.toString().toUpperCase(Locale.ROOT))).contains(EU1);
    assertThat(Cell.of("urn:uuid:" + id)).contains(EU1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "0", "eu1", "prod42", "zzzzzz"})
  void everyNameIsReadBack(String name) {
    var cell = new Cell(name);
    assertThat(Cell.of(cell.passportId(UUID.randomUUID()).toString())).contains(cell);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "EU1", "eu-1", "seven77", "é", "eu1\0", "../x"})
  void otherNamesAreNotValid(String name) {
    assertThat(Cell.parse(name)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "65753100-0000-4abc-9def-0123456789ab", // version 4
        "65753100-0000-8abc-1def-0123456789ab", // another variant
        "65750031-0000-8abc-9def-0123456789ab", // a zero inside
        "00000000-0000-8abc-9def-0123456789ab", // no name
        "45553100-0000-8abc-9def-0123456789ab", // upper case
        "65753100",
        "ap_eu1_7b6f",
        ""
      })
  void otherIdsNameNoCell(String id) {
    assertThat(Cell.of(id)).isEmpty();
  }

  @Test
  void onlyTheIdOfAnotherCellIsRefused() {
    String id = US1.passportId(UUID.randomUUID()).toString();

    assertThat(EU1.refusal(id))
        .hasValueSatisfying(problem ->
            assertThat(problem.message()).contains("the cell us1").contains("the cell eu1"));
    assertThat(US1.refusal(id)).isEmpty();
    assertThat(EU1.refusal(UUID.randomUUID().toString())).isEmpty();
    assertThat(Cell.NONE.refusal(id)).isEmpty();
  }

  @Test
  void aDeploymentThatIsNoCellKeepsRandomIds() {
    UUID random = UUID.randomUUID();
    assertThat(Cell.NONE.passportId(random)).isEqualTo(random);
  }
}
